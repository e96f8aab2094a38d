"""Workers that send mails when a test lets them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail

from lobby import tasks

Handed = list[tuple[str, tuple[Any, ...]]]


@pytest.fixture
def handed_over(monkeypatch: pytest.MonkeyPatch) -> Handed:
    """Collect the tasks for the workers, which a test runs when it wants to."""
    calls: Handed = []
    send = lambda name, arguments, **_: calls.append((name.rpartition(".")[2], arguments))  # noqa: E731
    monkeypatch.setattr("celery.current_app.send_task", send)
    return calls


@pytest.fixture
def work(handed_over: Handed) -> Callable[[], list[Any]]:
    """Let the workers do what was handed over; return the mails that went out."""

    def run() -> list[Any]:
        mail.outbox.clear()
        while handed_over:
            name, arguments = handed_over.pop(0)
            getattr(tasks, name)(*arguments)
        return list(mail.outbox)

    return run
