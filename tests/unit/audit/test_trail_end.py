"""The end of the trail, cut off together with the rows that its last acts wrote, is named by the next audit."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from config.health import heartbeats
from config.health.models import Heartbeat
from tests.support.findings import found_by
from tests.support.staff import employ
from wallet.audit import nightly
from wallet.audit_log import ends
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor
from wallet.base import triggers
from wallet.base.findings import UNSIGNED
from wallet.finance import exports
from wallet.ledger.triggers import TRIGGERS
from wallet.models import ExportRecord, Freeze

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


@pytest.fixture
def beat(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function by which a worker notes that it has swept all tables."""

    def note() -> None:
        monkeypatch.setattr(heartbeats, "_written", {})
        heartbeats.record_heartbeats("worker", "sweep")

    return note


@pytest.fixture
def last_acts(beat: Callable[[], None]) -> int:
    """Let finance lift a freeze and take an export, with nothing posted since; return the first entry of that."""
    first, second = (Actor(person.username, person) for person in (employ("finance"), employ("superuser")))
    beat()
    before = AuditEntry.objects.latest("pk").pk
    nightly.freeze("A drill")
    nightly.lift_freeze(first, "It was a drill")
    nightly.lift_freeze(second, "So it was")
    today = timezone.now().date()
    with exports.export(period=exports.Period(first=today, last=today), format="csv", by=first.user, via="page"):
        pass
    beat()
    return before


def cut_off(after: int) -> None:
    """Delete the end of the trail and what its acts wrote, as somebody would who owns the database."""
    connection.check_constraints()
    triggers.remove(connection, [*TRIGGERS, *triggers.append_only(*triggers.APPEND_ONLY)])
    with connection.cursor() as cursor:
        for model in (ExportRecord, Freeze):
            cursor.execute(f"DELETE FROM {model._meta.db_table}")
        cursor.execute("DELETE FROM audit_log_auditentry WHERE id > %s", [after])


def named() -> list[Any]:
    return found_by(
        ["ends_that_were_named", "trail", "trail_ends", "exports", "freezes", "finished_rows_are_unchanged"]
    )


def test_the_next_audit_names_an_end_that_was_cut_off(last_acts: int) -> None:
    assert named() == []
    gone = AuditEntry.objects.latest("pk").pk
    cut_off(last_acts)
    [finding] = named()
    assert (finding.check, finding.subject) == ("trail", "end of the trail") and str(gone) in finding.message


def test_later_heartbeats_do_not_cover_it(last_acts: int, beat: Callable[[], None]) -> None:
    cut_off(last_acts)
    beat()
    beat()
    assert len(named()) == 1, "the trail tells of it for good"


def test_a_row_of_before_put_back_is_caught_by_the_process(last_acts: int, beat: Callable[[], None]) -> None:
    last = Heartbeat.objects.get(name="sweep").trail_end
    cut_off(last_acts)
    former = AuditEntry.objects.latest("pk")
    ends._named = ""
    replayed = ends.name_end("")
    assert replayed.startswith(f"{former.pk} ")
    ends._named = last
    Heartbeat.objects.update(trail_end=replayed)
    assert named() == []
    beat()
    assert len(named()) == 1


def test_an_end_that_was_not_signed_is_named(last_acts: int, beat: Callable[[], None]) -> None:
    Heartbeat.objects.filter(name="sweep").update(trail_end="1 ffff ffff")
    assert named()[0].fault is UNSIGNED
    beat()
    assert named()[0].fault is UNSIGNED
