"""A worker does only what a process with the key of the installation has asked for."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from kombu import Connection

from config import signed_tasks
from config.celery import app


def message_of(name: str, arguments: tuple[Any, ...], **options: Any) -> Any:
    """Return the message as the broker would hand it to a worker."""
    with Connection("memory://") as connection:
        channel = connection.channel()
        app.send_task(name, arguments, connection=connection, queue="signed-test", **options)
        payload = channel._get("signed-test")
        return channel.Message(payload, channel=channel)


def accepts(message: Any) -> bool:
    properties = message.properties
    return signed_tasks.bears_signature(message.headers, message.payload, properties.get(signed_tasks.PROPERTY))


def test_what_we_send_is_done() -> None:
    assert accepts(message_of("tables.tasks.nudge", (7,), countdown=3))
    assert accepts(message_of("wallet.tasks.audit_books", (), kwargs={"whole": True}))


@pytest.mark.parametrize(
    ("part", "forged"),
    [
        ("task", "tables.tasks.prune"), ("id", "another"), ("eta", "2030-01-01T00:00:00+00:00"), ("expires", None),
        ("retries", 3), ("root_id", "x"),
    ],
)  # fmt: skip
def test_a_captured_message_is_not_done_with_another_header(part: str, forged: Any) -> None:
    message = message_of("tables.tasks.nudge", (7,), countdown=3, expires=60)
    message.headers[part] = forged
    assert not accepts(message)


@pytest.mark.parametrize("body", [[[8], {}, {}], [[7], {"x": 1}, {}], {"args": [7], "task": "tables.tasks.prune"}])
def test_a_captured_message_is_not_done_with_another_body(body: Any) -> None:
    message = message_of("tables.tasks.nudge", (7,))
    message.body, message._decoded_cache = json.dumps(body), None
    assert message.payload == body
    assert not accepts(message)


@pytest.mark.parametrize("found", [None, "", ":", "1", "x:y", "²:x", "9" * 4_000, {"a": 1}, f"{2**40}:{'0' * 64}"])
def test_a_message_without_a_signature_is_not_done(found: Any) -> None:
    assert not signed_tasks.bears_signature({"task": "tables.tasks.nudge", "id": "x"}, [[7], {}, {}], found)


def test_a_message_is_not_done_long_after_it_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    message = message_of("tables.tasks.nudge", (7,))
    now = signed_tasks.time.time()
    monkeypatch.setattr(signed_tasks.time, "time", lambda: now + signed_tasks.MOST_AGE - 60)
    assert accepts(message)
    monkeypatch.setattr(signed_tasks.time, "time", lambda: now + signed_tasks.MOST_AGE + 60)
    assert not accepts(message)


def test_messages_of_the_next_and_of_a_former_key_are_done_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    message = message_of("tables.tasks.nudge", (7,))
    former = settings.SECRET_KEY
    monkeypatch.setattr(settings, "SECRET_KEY", "another" * 10)
    assert not accepts(message)
    monkeypatch.setattr(settings, "SECRET_KEY_FALLBACKS", ["a third" * 9, former])
    assert accepts(message)


def test_every_task_is_behind_the_check_also_those_of_the_library() -> None:
    app.finalize()
    assert "celery.map" in app.tasks
    assert {task.Strategy for task in app.tasks.values()} == {"config.signed_tasks:strategy"}
    assert not app.conf.worker_enable_remote_control


def test_a_worker_puts_away_what_is_not_signed_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []
    monkeypatch.setattr(signed_tasks, "default", lambda *_: lambda message, *_: done.append(message))
    consumer = SimpleNamespace(connection_errors=(OSError,))
    handle = signed_tasks.strategy(SimpleNamespace(name="tables.tasks.nudge"), app, consumer)
    put_away: list[Any] = []
    genuine, forged = (message_of("tables.tasks.nudge", (number,)) for number in (7, 8))
    forged.headers["id"] = "another"
    for message in (forged, genuine, forged):
        # As the library's own `reject_log_error`, which the worker hands over.
        handle(message, None, None, lambda logger, errors: put_away.append(errors), [])
    assert done == [genuine]
    assert put_away == [(OSError,)] * 2
