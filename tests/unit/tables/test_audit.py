"""The audit's checks of tables: silent on honest books, and each finds its planted fault."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from tables.log import reading
from tables.models import Deal, DealSeat, Match, Seating, Table
from tests.support.clock import Clock
from tests.support.steering import all_drop_but, ask, next_deal, one_loses_eighty
from tests.support.tables import Client
from wallet.audit.audit import audit
from wallet.play_money.services import take_entries

pytestmark = pytest.mark.django_db


def checks_with_findings() -> set[str]:
    return {difference.check for difference in audit().differences}


def test_honest_books_raise_no_alarm(duel: tuple[Client, Client]) -> None:
    first, second = duel
    assert checks_with_findings() == set()
    first.send("drop")
    assert checks_with_findings() == set()
    second.send("leave")
    assert checks_with_findings() == set()


def test_a_rejoin_offered_anew_by_the_clock_that_runs_raises_no_alarm(
    pool: Callable[[int], list[Client]], clock: Clock
) -> None:
    clients = pool(4)
    out, first, second, highest = clients
    one_loses_eighty(out, first, clients)
    for winner in (first, second):
        next_deal(clients, clock)
        all_drop_but(winner, clients)
    offered = out.view()
    clock.wait(3)
    ask(highest, "leave")
    anew = out.view()
    assert [view["prompt"]["score"] for view in (offered, anew)] == [61, 41]
    assert offered["clock"]["deadline"] == anew["clock"]["deadline"]
    assert checks_with_findings() == set()


def test_chips_left_on_a_free_seat_are_found(duel: tuple[Client, Client]) -> None:
    Seating.objects.filter(seat=0).update(freed_at=timezone.now(), left_at=timezone.now())
    assert "freed seats" in checks_with_findings()


def test_a_result_that_was_not_settled_so_is_found(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    first.send("drop")
    dropped = DealSeat.objects.filter(outcome="dropped")
    dropped.update(amount=-19)
    assert checks_with_findings() == {"settled deals", "deal seat"}
    seat, deal = dropped.values_list("seat", "deal").get()
    subjects = {finding.subject for finding in audit().differences}
    assert subjects == {f"posting of seat {seat + 1} in deal {deal}", f"seat {seat + 1} of deal {deal}"}, "from 1"


def test_a_stack_that_differs_from_the_state_is_found(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    earlier = Table.objects.get(pk=first.table)
    first.send("drop")
    Table.objects.filter(pk=first.table).update(
        snapshot=bytes(earlier.snapshot), snapshot_version=earlier.version, version=earlier.version
    )
    assert reading.latest_state(Table.objects.get(pk=first.table)).phase == "playing"
    assert checks_with_findings() == {"table stacks", "snapshot", "table"}


def test_a_pot_left_behind_is_found(duel: tuple[Client, Client]) -> None:
    match = Match.objects.get()
    seating = Seating.objects.order_by("pk")[0]
    take_entries(match=match.pk, currency="FUN", entries={seating.pk: 80})
    Match.objects.update(status=Match.Status.SETTLED)
    Deal.objects.update(status=Deal.Status.OVER)
    assert "ended matches" in checks_with_findings()
