"""The sweep runs whatever is overdue, and no faulty table delays another."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from tables import tasks
from tables.errors import TableError
from tables.models import Table
from tables.play import advance, clocks, services as play, store
from tests.support.clock import Clock
from tests.support.freezes import lift_by_two
from tests.support.tables import Client
from wallet.audit import nightly
from wallet.base.errors import WalletError

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


@pytest.fixture(autouse=True)
def no_former_failures() -> None:
    clocks._failures.clear()


@pytest.fixture
def seated(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table], client_of: Callable[[Table, Any], Client]
) -> Callable[[str], Table]:
    """Return a function that seats two at a table, a second after the one before, to be dealt when its start clock
    ends."""

    def make(name: str) -> Table:
        place = table()
        for each in (f"{name}-a", f"{name}-b"):
            user = player(each)
            play.sit(table_id=place.pk, user=user, amount=80)
            client_of(place, user)
        clock.wait(1)
        return place

    return make


def phase(table: Table) -> str:
    table.refresh_from_db()
    return table.phase


def test_a_table_at_which_anything_at_all_goes_wrong_keeps_no_other_from_being_swept(
    seated: Callable[[str], Table], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = seated("bad"), seated("good")
    tick = play.tick

    def ticked(*, table_id: int, by_server: bool) -> None:
        if table_id == bad.pk:
            raise WalletError("anything", "Anything.")
        tick(table_id=table_id)

    monkeypatch.setattr(play, "tick", ticked)
    clock.wait(10)
    assert play.sweep(clock.now) == 2
    assert (phase(bad), phase(good)) == ("starting", "playing")


def test_bad_tables_however_many_starve_no_good_one(
    seated: Callable[[str], Table], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = [seated(f"bad{number}") for number in range(3)], seated("good")
    monkeypatch.setattr(clocks, "SWEEP", 3)
    tick = play.tick

    def ticked(*, table_id: int, by_server: bool) -> None:
        if table_id != good.pk:
            raise RuntimeError
        tick(table_id=table_id)

    monkeypatch.setattr(play, "tick", ticked)
    clock.wait(12)
    tasks.sweep()
    assert phase(good) == "starting", "three others were due before"
    tasks.sweep()
    assert phase(good) == "playing"
    assert {phase(each) for each in bad} == {"starting"}


def test_the_longest_overdue_comes_first_whether_a_clock_or_a_computer_player_is_due(
    seated: Callable[[str], Table], clock: Clock
) -> None:
    first, second, third, fourth = (seated(f"t{number}") for number in range(4))
    for table, deadline, computer in (
        (first, None, clock.now - 30),
        (second, clock.now - 40, None),
        (third, clock.now - 5, clock.now - 20),
        (fourth, clock.now + 60_000, clock.now - 50),
    ):
        Table.objects.filter(pk=table.pk).update(deadline_ms=deadline, computer_due_ms=computer)
    assert clocks.overdue_tables(clock.now) == [fourth.pk, second.pk, first.pk, third.pk]


def test_a_clock_that_cannot_run_out_freezes_its_table_only(
    seated: Callable[[str], Table], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = seated("bad"), seated("good")
    prepare = advance.game.apply

    def apply(state: Any, move: Any, now: int) -> Any:
        if move.__class__.__name__ == "Expire" and now and state is not None and held_by(bad, state):
            raise WalletError("insufficient_balance", "A stack is empty that should not be.")
        return prepare(state, move, now)

    monkeypatch.setattr(advance.game, "apply", apply)
    clock.wait(10)
    tasks.sweep()
    bad.refresh_from_db()
    assert (bad.status, bad.phase) == (Table.Status.FROZEN, "starting")
    assert "insufficient_balance" in bad.fault
    assert phase(good) == "playing"


def held_by(table: Table, state: Any) -> bool:
    return store.read_table(table.pk).state == state


def test_while_settlement_is_frozen_the_clock_waits_and_the_table_is_not_frozen(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    first, _ = duel
    clock.wait(30)
    play.tick(table_id=first.table)
    nightly.freeze("the books differ")
    clock.wait(30)
    with pytest.raises(TableError, match="stands still"), transaction.atomic():
        play.tick(table_id=first.table)
    tasks.sweep()
    table = Table.objects.get(pk=first.table)
    assert (table.status, table.phase) == (Table.Status.OPEN, "playing")
    with pytest.raises(TableError) as answer:
        first.send("sort")
    assert answer.value.code == "settlement_frozen"
    lift_by_two()
    tasks.sweep()
    assert first.view()["phase"] == "result"


def test_a_leave_that_must_wait_for_settlement_leaves_the_table_as_it_was(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    """The clock that ran out first is saved, and nothing of the leave that was refused after it."""
    first, second = duel
    nightly.freeze("the books differ")
    clock.wait(30)
    assert second.send("leave")["code"] == "settlement_frozen"
    assert first.view()["clock"]["kind"] == "extra"
    assert Table.objects.get(pk=first.table).seated == 2
