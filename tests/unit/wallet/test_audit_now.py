"""Auditing the books from the page of months: a worker does it, and the page shows how far it is."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from kombu.exceptions import OperationalError

from tests.support.books import a_day_of_play
from tests.support.finance import sign_in
from wallet.audit import nightly
from wallet.models import AuditRun
from wallet.tasks import audit_books

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


@pytest.fixture
def fina(django_user_model: Any) -> Client:
    cache.clear()
    a_day_of_play()
    return sign_in(django_user_model, "fina", "view_finance", "close_month")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the tasks that a worker is asked for."""
    tasks: list[str] = []
    monkeypatch.setattr(nightly.current_app, "send_task", lambda name, **_: tasks.append(name))
    return tasks


def told(answer: Any) -> list[str]:
    return [str(each) for each in answer.context["messages"]]


def ask(client: Client) -> Any:
    return client.post(reverse("finance:audit_now"), follow=True)


def test_a_worker_is_asked_once_and_the_page_shows_how_far_it_is(fina: Client, sent: list[str]) -> None:
    page = ask(fina)
    assert sent == ["wallet.tasks.audit_books"]
    assert AuditRun.objects.count() == 0, "nothing runs inside the request"
    assert "Waiting for a worker." in page.content.decode()
    assert told(ask(fina)) == ["An audit is running already."]
    assert sent == ["wallet.tasks.audit_books"]
    with nightly.telling() as progress:
        progress(3, 50, "transfers, 200,000 rows")
        known = fina.get(reverse("finance:audit_progress")).json()
        assert known == {"done": 3, "of": 50, "says": "3 of 50: transfers, 200,000 rows"}
        assert 'max="50" value="3"' in fina.get(reverse("finance:months")).content.decode()
    assert fina.get(reverse("finance:audit_progress")).json() == {}


def test_the_worker_tells_every_check_and_leaves_the_result(fina: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    run = nightly.run_nightly

    def noted(*, complete: bool, progress: Any) -> AuditRun:
        def both(done: int, of: int, check: str) -> None:
            progress(done, of, check)
            seen.append(nightly.how_far())

        return run(complete=complete, progress=both)

    monkeypatch.setattr(nightly, "run_nightly", noted)
    assert audit_books() == 0
    assert seen[-1].done == seen[-1].of == len({each.done for each in seen})
    assert nightly.how_far() is None
    assert AuditRun.objects.get().differences == 0


def test_an_audit_that_fails_is_running_no_more(fina: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: Any) -> AuditRun:
        raise RuntimeError("no space left")

    monkeypatch.setattr(nightly, "run_nightly", broken)
    with pytest.raises(RuntimeError):
        audit_books()
    assert nightly.how_far() is None


def test_without_a_broker_nothing_waits(fina: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(name: str, **_: Any) -> None:
        raise OperationalError("away")

    monkeypatch.setattr(nightly.current_app, "send_task", refused)
    assert told(ask(fina)) == ["No worker can be asked right now. Please try again in a few minutes."]
    assert nightly.how_far() is None
