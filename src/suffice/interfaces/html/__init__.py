"""Values as self-contained pages: no script, no address outside; nothing is decided here."""
