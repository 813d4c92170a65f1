"""`python -m suffice`: the same as the `suffice` command."""

from suffice.interfaces.entry import main

raise SystemExit(main())
