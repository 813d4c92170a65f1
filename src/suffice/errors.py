"""Every exception that suffice raises on purpose.

    SufficeError                    exit status 1
    ├── UsageError                  exit status 2: wrong usage or wrong input; says what to do
    │   ├── SettingsError           an unknown key, a value of the wrong type
    │   ├── PluginNotFound          no plug-in of that kind and name
    │   ├── SourceError             a source that is not there or cannot be read at all
    │   ├── FilterError             a --where expression that does not parse
    │   └── NotFound                no such snapshot, document, answer, generation
    ├── ParseError                  one file cannot be read; it is listed and the run goes on
    ├── EmbedderError               the embedder cannot be loaded or gave no vector
    ├── StoreError                  the index of a generation cannot be read
    ├── JudgeError                  a judge could not run; the verdict is search_failed
    ├── GeneratorError              a generator could not run
    └── WorkspaceError              the workspace is locked, damaged, or of a newer version

An error says what was wrong, the value seen, and what to do.
"""

from __future__ import annotations


class SufficeError(Exception):
    """Base of all; `exit_status` is what the command line ends with."""

    exit_status = 1


class UsageError(SufficeError):
    """The caller asked for something impossible; the message says what to do instead."""

    exit_status = 2


class SettingsError(UsageError):
    """A settings file, an environment variable or an argument holds a wrong key or value."""


class PluginNotFound(UsageError):
    """No plug-in of this kind has this name."""


class SourceError(UsageError):
    """A source does not exist or cannot be read at all."""


class FilterError(UsageError):
    """A filter expression does not parse."""


class NotFound(UsageError):
    """No snapshot, document, answer or generation has this id."""


class ParseError(SufficeError):
    """One file cannot be turned into a document; the reason is shown beside its name."""


class EmbedderError(SufficeError):
    """The embedder cannot be loaded, or gave no usable vector."""


class StoreError(SufficeError):
    """The searchable index of a generation cannot be read or built."""


class JudgeError(SufficeError):
    """A judge could not run: the search failed, which is not the same as nothing found."""


class GeneratorError(SufficeError):
    """A generator could not run or gave no usable reply.

    `kind` is one word for the cause (`timeout`, `truncated`, `not_json` ...); `usage` is the `values.Usage`
    of what was spent before it failed, None where nothing was.
    """

    def __init__(self, message: str, kind: str = "failed", usage: object = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.usage = usage


class WorkspaceError(SufficeError):
    """The workspace is locked by another process, damaged, or of a newer version."""
