"""Data past its use is deleted; data that may still be requested stays."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tables.errors import TableError
from tables.log import upkeep
from tables.models import Answer, Table
from tables.play.opening import TOO_MANY_FROZEN
from tables.play.store import STOPPED_BY
from tables.staff import resume_table
from tests.support.tables import Client

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def test_answers_go_after_a_day_and_no_sooner(duel: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "ANSWERS_AT_ONCE", 2)
    first, second = duel
    for client, name in ((first, "a"), (second, "b")):
        for number in range(5):
            client.send("sort", id=f"{name}{number}")
    assert list(upkeep.prune_answers()) == []
    for client, ago in ((first, timedelta(hours=25)), (second, timedelta(hours=23))):
        Answer.objects.filter(seating__user=client.user).update(answered_at=timezone.now() - ago)
    assert sum(upkeep.prune_answers()) == 5
    assert set(Answer.objects.values_list("seating__user", flat=True)) == {second.user.pk}


def test_a_book_whose_tables_break_again_and_again_gets_no_new_ones_until_staff_have_seen_to_them(
    table: Callable[..., Table],
) -> None:
    tables = [table() for _ in range(TOO_MANY_FROZEN + 1)]
    for each, fault in zip(tables, (f"{STOPPED_BY} asha: why not", *["a fault"] * TOO_MANY_FROZEN), strict=True):
        assert table(), "one too few is none too many"
        Table.objects.filter(pk=each.pk).update(status=Table.Status.FROZEN, fault=fault)
    with pytest.raises(TableError) as refused:
        table()
    assert (refused.value.code, refused.value.status) == ("book_suspended", 503)
    assert table(book="classic-points"), "other books are played on"
    resume_table(table_id=tables[1].pk, reason="All is well", actor=_ops())
    assert table()


def _ops() -> Any:
    from wallet.audit_log.services import Actor

    return Actor("ops")
