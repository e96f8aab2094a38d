"""Progress of a long harness on standard error."""

import sys
import time

#: Seconds between two words at a terminal, and in a log.
_AT_A_TERMINAL, _IN_A_LOG = 1.0, 60.0
_told = time.monotonic()


def progress(done: int, of: int, what: str) -> None:
    """Print the progress on standard error, unless that was done moments ago."""
    global _told
    live = sys.stderr.isatty()
    if time.monotonic() - _told < (_AT_A_TERMINAL if live else _IN_A_LOG):
        return
    _told = time.monotonic()
    print(f"{done:,} of {of:,} {what}", end="\r" if live else "\n", file=sys.stderr, flush=True)
