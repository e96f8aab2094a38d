"""Structured logs: one event a line, with time, level and ids; JSON in production.

No hidden card is ever logged, and no part of an address that opens something by itself.
"""

import logging
import re
import sys
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Hashable, Iterator
from functools import cache
from http import HTTPStatus
from typing import Any

import structlog
from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings as django_settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, get_resolver
from redis import RedisError

from rules.masking import masked

#: Parameters of addresses that open something to anybody: links to deals and of mails, codes of private tables and of
#: duplicate matches.
SECRET_PARAMETERS = frozenset({"token", "code", "match_code"})
#: Stands in a line for what must not be there.
HIDDEN = "■"
#: Seconds between two lines of what repeats, and how many different ones are known at once.
EVERY, MOST_KNOWN = 1.0, 500


def site_routes() -> Iterator[str]:
    """Yield the route of every address of the site, as it stands in the urls."""
    waiting: list[tuple[str, Any]] = [("/", each) for each in get_resolver().url_patterns]
    while waiting:
        before, each = waiting.pop()
        route = before + str(each.pattern)
        if isinstance(each, URLResolver):
            waiting += [(route, inner) for inner in each.url_patterns]
        elif isinstance(each, URLPattern):
            yield route


def hide_secrets(text: str) -> str:
    """Hide in the text the secret part of every address of the site that has one."""
    return _secret_part().sub(rf"\g<before>{HIDDEN}", text) if "/" in text else text


@cache
def _secret_part() -> re.Pattern[str]:
    """Return what finds a secret parameter behind the beginning of its route."""
    befores = set()
    for route in site_routes():
        parts = re.split(r"<(?:\w+:)?(\w+)>", route)
        for at in range(1, len(parts), 2):
            if parts[at] in SECRET_PARAMETERS:
                befores.add("[^/]+".join(map(re.escape, parts[:at:2])))
    return re.compile(rf"(?P<before>{'|'.join(sorted(befores))})[^/\s'\"<>?]+")


def _without_request(logger: Any, method: str, event: Any) -> Any:
    """Leave out the request that Django adds to its own lines: it prints with its address."""
    return {name: value for name, value in event.items() if not isinstance(value, HttpRequest)}


class ClientFaults(logging.Filter):
    """Make no error, which is an alarm, of what a client did wrong, and no traceback: anybody could fill the log.

    An address that is asked for its methods by OPTIONS is not even a line: see config/errors.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", None) == HTTPStatus.METHOD_NOT_ALLOWED:
            request = getattr(record, "request", None)
            if getattr(request, "method", "") == "OPTIONS":
                return False
        of_client = record.name.startswith("django.security.") or 400 <= getattr(record, "status_code", 0) < 500
        if of_client:
            record.exc_info = record.exc_text = None
            if record.levelno > logging.WARNING:
                record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


_SHARED: list[Any] = [
    structlog.stdlib.ExtraAdder(),
    _without_request,
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
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
        "filters": {"repeats": {"()": Repeats}, "client_faults": {"()": ClientFaults}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "events", "filters": ["client_faults", "repeats"]}
        },
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {name: {"level": level} for name in ("lobby", "tables", "wallet", "config")},
    }


class Repeats(logging.Filter):
    """Let a warning or error that repeats through once in `EVERY` seconds, with how many were left out since.

    Errors of the database or Redis are the same whatever the table: when one of these is away, all tables fail at once.
    """

    def __init__(self) -> None:
        super().__init__()
        #: For each of them when it was last let through, in monotonic seconds, and how many were left out since.
        self._seen: dict[Hashable, tuple[float, int]] = {}
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        now, what = time.monotonic(), _what_repeats(record)
        with self._lock:
            last, left_out = self._seen.pop(what, (now - EVERY, 0))
            if now - last < EVERY:
                self._seen[what] = last, left_out + 1
                return False
            self._seen[what] = now, 0
            if len(self._seen) > MOST_KNOWN:
                del self._seen[next(iter(self._seen))]
        if left_out:
            record.left_out = left_out
        return True


def _what_repeats(record: logging.LogRecord) -> Hashable:
    fault = record.exc_info[1] if record.exc_info else None
    message = record.msg if isinstance(fault, (DatabaseError, RedisError)) else record.getMessage()
    return record.name, str(message), type(fault), str(fault)


def _blot(logger: Any, method: str, event: Any) -> Any:
    # Before a process knows its addresses it has answered none.
    knows_addresses = django_settings.configured and django_settings.ROOT_URLCONF in sys.modules
    return masked(event, hide_secrets if knows_addresses else str)


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
