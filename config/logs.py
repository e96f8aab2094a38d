"""Structured logs: one event a line, with time, level and ids; JSON in production. No hidden card is ever logged."""

import sys
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponse

from rules.masking import masked

_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.stdlib.ExtraAdder(),
]


def settings(*, as_json: bool, level: str = "INFO") -> dict[str, Any]:
    """Return Django's LOGGING: everything to standard error through one formatter."""
    # The values in a traceback's frames are hands, seeds and passwords: never shown.
    frames = structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False))
    plain = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)
    as_lines: list[Any] = [frames, _blot, structlog.processors.JSONRenderer()]
    as_text: list[Any] = [structlog.processors.format_exc_info, _blot, plain]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "events": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *(as_lines if as_json else as_text),
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "events"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {name: {"level": level} for name in ("lobby", "tables", "wallet", "config")},
    }


def _blot(logger: Any, method: str, event: Any) -> Any:
    return masked(event)


class RequestIds:
    """Every line logged while a request is answered carries the request's id and path."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponse | Awaitable[HttpResponse]:
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request=uuid.uuid4().hex[:12], path=request.path)
        response: HttpResponse | Awaitable[HttpResponse] = self._get_response(request)
        return response
