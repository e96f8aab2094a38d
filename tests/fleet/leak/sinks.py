"""The ways out of a table besides its pages: pushes, queues and the log, intercepted where they leave."""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from structlog.stdlib import ProcessorFormatter

from config import logs
from tables.play import broadcast, clocks
from tables.play.broadcast import Announcement

_NUDGE = clocks._nudge
Push = Callable[[str, Announcement], None]
Line = Callable[[str], None]


@contextmanager
def intercepted(*, push: Push, task: Line, line: Line) -> Iterator[None]:
    """Pass each message for the channel layer, each task for the broker and each log line to the callback only.

    Log lines come from every level, in the format of production. Frames are made only where somebody listens.
    """
    with ExitStack() as stack:
        broadcast.listen(intercepted, lambda news: None)
        stack.callback(broadcast.stop_listening, intercepted)
        stack.enter_context(patch("tables.play.broadcast.send", push))
        stack.enter_context(patch("tables.play.clocks._nudge", _NUDGE))
        send = stack.enter_context(patch("celery.Celery.send_task"))
        send.side_effect = lambda *arguments, **keywords: task(repr((arguments, keywords)))
        stack.enter_context(_listening(line))
        yield


@contextmanager
def _listening(line: Line) -> Iterator[None]:
    root, handler = logging.getLogger(), _Ear(line)
    before = root.handlers, root.level, logging.root.manager.disable
    logging.disable(logging.NOTSET)
    root.handlers, root.level = [handler], logging.DEBUG
    root.manager._clear_cache()  # type: ignore[attr-defined]
    try:
        yield
    finally:
        root.handlers, root.level = before[:2]
        logging.disable(before[2])
        root.manager._clear_cache()  # type: ignore[attr-defined]


class _Ear(logging.Handler):
    def __init__(self, line: Line) -> None:
        super().__init__()
        self._line = line
        formatter = dict(logs.settings(as_json=True)["formatters"]["events"])
        formatter.pop("()")
        self.setFormatter(ProcessorFormatter(**formatter))

    def emit(self, record: logging.LogRecord) -> None:
        self._line(self.format(record))
