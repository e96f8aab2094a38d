"""Signed tasks: a worker does only what a process with the key of the installation has asked for.

Whoever has Redis can put messages into its queues. So each message carries an HMAC of all that decides what is done:
the task, its id, its arguments, and when it may run. Celery's own serializer "auth" signs the body alone, which names
neither the task nor the moment, and needs certificates; the key of the installation is there already, and changes
with it (config/deploy/README.md).

A message that is sent again, just as it was, is done again within MOST_AGE: no task does harm when it is done twice.
"""

import hmac
import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from celery import Task
from celery.worker.strategy import default
from django.conf import settings

from wallet.keys.deriving import derive

log = logging.getLogger(__name__)

#: Where a message carries its signature: not among the headers, which a task that is tried again hands on.
PROPERTY = "signature"
#: Seconds after which a signed message is done no more: mails are tried for three hours, each try signed anew.
MOST_AGE = 4 * 3_600
#: The headers that are signed, besides the arguments.
HEADERS = ("task", "id", "eta", "expires", "retries", "timelimit", "group", "root_id", "parent_id")
_PURPOSE = "rummy signature of a task"
#: Seconds between two lines of the log about refused messages: there may be very many.
_PAUSE = 5.0


class SignedTask(Task):  # type: ignore[misc]
    """A task that a worker runs only if its message is signed."""

    abstract = True
    Strategy = f"{__name__}:strategy"


def message_signature(headers: Mapping[str, Any], body: Any) -> str:
    """Return the signature of a message that is sent now."""
    moment = int(time.time())
    return f"{moment}:{_mac(settings.SECRET_KEY, moment, headers, body)}"


def bears_signature(headers: Mapping[str, Any], body: Any, found: Any) -> bool:
    """Return whether the signature was made for this message with a key of the installation, and not too long ago."""
    moment, _, mac = str(found).partition(":")
    if not (moment.isdecimal() and moment.isascii() and len(moment) < 12) or time.time() - int(moment) > MOST_AGE:
        return False
    keys = map(str, (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))
    return any(hmac.compare_digest(_mac(key, int(moment), headers, body).encode(), mac.encode()) for key in keys)


def strategy(task: Any, app: Any, consumer: Any, **options: Any) -> Callable[..., Any]:
    """Return Celery's own handler of messages for the task, behind the check of the signature."""
    handle, told = default(task, app, consumer, **options), [float("-inf")]

    def check_and_handle(message: Any, body: Any, ack: Any, reject: Any, callbacks: Any, **named: Any) -> Any:
        if bears_signature(message.headers, message.payload, message.properties.get(PROPERTY)):
            return handle(message, body, ack, reject, callbacks, **named)
        reject(log, consumer.connection_errors)
        if time.monotonic() - told[0] > _PAUSE:
            told[0] = time.monotonic()
            log.error("%s was not signed by this installation, or too long ago: it is not done", task.name)
        return None

    return check_and_handle


def _mac(key: str, moment: int, headers: Mapping[str, Any], body: Any) -> str:
    bound = {name: headers.get(name) for name in HEADERS}
    content = json.dumps([moment, bound, body], sort_keys=True, default=str)
    return hmac.new(derive(key, _PURPOSE), content.encode(), "sha256").hexdigest()
