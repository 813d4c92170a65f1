"""Where the `suffice` command begins. It loads nothing before it is ready for Ctrl-C.

Loading the command line takes a tenth of a second. Ctrl-C in that time would otherwise be shown as the
traceback of whichever import it met; no work has begun then, so there is nothing to say.
"""

import os
import signal
from types import FrameType

STOPPED = 130


def _leave(_number: int, _frame: FrameType | None) -> None:
    os._exit(STOPPED)


def main() -> int:
    """Run the command line and give its exit status; 130 when it is interrupted, at any time."""
    before = signal.signal(signal.SIGINT, _leave)
    from suffice.interfaces.cli import main as run

    if before == signal.SIG_IGN:  # a job in the background: the shell has said that Ctrl-C is not for it
        signal.signal(signal.SIGINT, before)
    else:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return run()
    except KeyboardInterrupt:
        return STOPPED
    finally:
        signal.signal(signal.SIGINT, _leave if before != signal.SIG_IGN else before)
