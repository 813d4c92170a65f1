"""`python -m suffice`: the same as the `suffice` command."""

from suffice.interfaces.cli import main

raise SystemExit(main())
