"""The commands, by noun: `questions` (ask, pick, search, verify), `documents`, `about`."""
