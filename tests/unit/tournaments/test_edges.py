"""What happens at the edges, as clients see it: nobody comes, one comes, the last moment, pots that do not divide."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from lobby.accounts.models import Player
from tables.models import Table, Tournament
from tables.play import frames, protocol, store
from tables.play.advance import advance, changing, finish, run_overdue_clocks
from tables.staff import tournament_stands_still
from tables.tournaments import moments, services, steps
from tests.support.clock import Clock
from tests.support.freezes import lift_by_two
from tests.support.players import signed_up
from tests.support.reckoning import placed, prizes
from tests.support.strategies import Choice, drops, waits
from tests.support.tournaments import ARENA, entered, opened, play_table
from wallet.audit import nightly
from wallet.audit.audit import audit
from wallet.ledger.selectors import spendable
from wallet.play_money import refills

pytestmark = pytest.mark.django_db


def entry(tournament: Tournament, user: Player) -> tuple[int, str]:
    """Ask for entry; return the status of the answer, and the code of a refusal."""
    client = APIClient()
    client.force_authenticate(user)
    answer = client.post(f"/api/tournaments/{tournament.pk}/entry/")
    return answer.status_code, answer.json().get("code", "")


def told(tournament: Tournament, path: str = "") -> dict[str, object]:
    answer: dict[str, object] = APIClient().get(f"/api/tournaments/{tournament.pk}/{path}").json()
    return answer


@pytest.mark.parametrize("kind", [{}, ARENA], ids=["knock-out", "arena"])
@pytest.mark.parametrize("come", [0, 1])
def test_where_nobody_comes_or_one_it_is_cancelled_and_costs_nothing(
    clock: Clock, kind: dict[str, object], come: int
) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, entry=101, fee_percent=7, **{**kind, "prizes": [60, 40]})
    people = [signed_up() for _ in range(come)]
    assert [entry(tournament, each)[0] for each in people] == [200] * come
    clock.wait(60)
    assert steps.step(tournament.pk) and not steps.step(tournament.pk)
    assert (told(tournament)["status"], told(tournament)["fee"]) == ("cancelled", 0)
    assert [spendable(each.pk, "FUN") for each in people] == [10_000] * come
    assert not Table.objects.filter(tournament_id=tournament.pk).exists()
    assert audit().differences == []


def test_an_entry_that_came_back_is_not_held_twice(clock: Clock, settings: Any) -> None:
    settings.REFILL_LEVEL = 10_500
    tournament = opened(clock, most=3, entry=100)
    stays, asha = signed_up(), signed_up()
    for each in (stays, asha):
        services.enter(tournament_id=tournament.pk, user=each)
    services.withdraw_entry(tournament_id=tournament.pk, user=asha)
    assert [refills.offer(each)["amount"] for each in (stays, asha)] == [500, 500]


@pytest.mark.parametrize("computers_after", [60, None])
def test_who_withdraws_from_a_full_one_in_the_last_moment_is_waited_for_as_before(
    clock: Clock, computers_after: int | None
) -> None:
    """No computer player jumps into the place, and staff are not told that it stands still."""
    tournament = opened(clock, most=3, computers_after=computers_after)
    people = [signed_up() for _ in range(3)]
    for each in people:
        services.enter(tournament_id=tournament.pk, user=each)
    services.withdraw_entry(tournament_id=tournament.pk, user=people[0])
    clock.wait(59)
    assert not steps.step(tournament.pk) and not tournament.entrants.filter(user=None).exists()
    assert not Tournament.objects.filter(tournament_stands_still()).exists()
    clock.wait(1)
    assert steps.step(tournament.pk) is (computers_after is not None)
    services.enter(tournament_id=tournament.pk, user=people[0]) if computers_after is None else None
    steps.step(tournament.pk)
    tournament.refresh_from_db()
    assert tournament.status == Tournament.Status.RUNNING


def test_no_computer_players_come_for_somebody_who_may_not_play(clock: Clock) -> None:
    """They would play a whole knock-out among themselves; with somebody else there they fill the places at once."""
    tournament = opened(clock, most=3, computers_after=60)
    [locked] = entered(tournament, 1)
    Player.objects.filter(pk=locked.user_id).update(is_active=False)
    clock.wait(61)
    while steps.step(tournament.pk):
        pass
    tournament.refresh_from_db()
    assert (tournament.status, tournament.entered, tournament.entrants.filter(user=None).count()) == ("open", 0, 0)
    gone, _ = entered(tournament, 2)
    Player.objects.filter(pk=gone.user_id).update(is_active=False)
    clock.wait(61)
    while steps.step(tournament.pk) and tournament.status == "open":
        tournament.refresh_from_db()
    assert (tournament.status, tournament.entered, tournament.entrants.filter(user=None).count()) == ("running", 3, 2)


def test_entry_to_a_knock_out_in_the_last_moment_is_an_entry(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, entry=101)
    early, last, late = (signed_up() for _ in range(3))
    assert entry(tournament, early) == (200, "")
    clock.wait(59.999)
    assert not steps.step(tournament.pk)
    assert entry(tournament, last) == (200, "")
    clock.wait(0.001)
    while steps.step(tournament.pk):
        pass
    assert entry(tournament, late) == (409, "entry_closed")
    assert entry(tournament, last) == (200, ""), "who is in is told so again"
    assert Table.objects.get(tournament_id=tournament.pk).seatings.filter(user=last).exists()
    assert [spendable(each.pk, "FUN") for each in (early, last, late)] == [9_899, 9_899, 10_000]
    assert audit().differences == []


def test_an_arena_is_entered_until_five_minutes_before_its_end_and_not_after(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    for _ in range(2):
        entry(tournament, signed_up())
    clock.wait(60)
    steps.step(tournament.pk)
    tournament.refresh_from_db()
    clock.now = (tournament.ends_ms or 0) - moments.LATE_MS - 1
    last = signed_up()
    assert entry(tournament, last) == (200, "")
    clock.wait(0.001)
    assert entry(tournament, signed_up()) == (409, "entry_closed")
    while steps.step(tournament.pk):
        pass
    assert tournament.entrants.get(user=last).waits_ms is None, "they are seated"


def test_a_pot_that_does_not_divide_and_three_who_tie_for_the_second_prize(clock: Clock) -> None:
    tournament = opened(clock, most=5, deals=1, entry=101, fee_percent=7, prizes=[50, 30, 20])
    people = [signed_up() for _ in range(5)]
    for each in people:
        services.enter(tournament_id=tournament.pk, user=each)
    while steps.step(tournament.pk):
        pass
    clock.wait(6)
    lost = three_drop_one_drops_late(Table.objects.get(tournament_id=tournament.pk).pk)
    while steps.step(tournament.pk):
        pass
    places = placed({name: (-points,) for name, points in lost.items()})
    pot = 5 * 101 - 35
    won = prizes(pot, [50, 30, 20], places, [str(each) for each in people])
    assert sorted(places.values()) == [1, 2, 2, 2, 5] and sorted(won.values()) == [0, 78, 78, 79, 235]
    rows = told(tournament, "standings/")["results"]
    assert isinstance(rows, list)
    assert {row["name"]: (row["place"], row["prize"]) for row in rows} == {
        name: (places[name], won[name]) for name in places
    }
    assert [spendable(each.pk, "FUN") for each in people] == [9_899 + won[str(each)] for each in people]
    assert told(tournament)["fee"] == 35
    assert audit().differences == []


def three_drop_one_drops_late(table_id: int) -> dict[str, int]:
    """Play a deal of five; return the points that each has lost: 0 for the winner, 20, 40 after the first draw."""
    lost: dict[str, int] = {}
    with changing(table_id):
        table = store.lock_table(table_id)
        run_overdue_clocks(table)
        for choose in (waits, drops, drops, drops, waits, drops):
            turn = frames.view(table, 0)["deal"]["turn_seat"]
            name = table.seatings[turn].name
            if choose is drops:
                lost[name] = 40 if name in lost else 20
            else:
                lost[name] = 0
                make(table, turn, choose)
            make(table, turn, choose)
        finish(table)
    return lost


def make(table: store.LockedTable, seat: int, choose: Choice) -> None:
    frame = choose(frames.view(table, seat))
    assert frame is not None
    advance(table, protocol.to_move(protocol.read_frame(frame), seat))


@pytest.mark.parametrize("least", [2, 3])
def test_prizes_and_refunds_wait_while_settlement_is_frozen_and_that_is_no_fault(
    clock: Clock, caplog: pytest.LogCaptureFixture, least: int
) -> None:
    tournament = opened(
        clock, starts_ms=clock.now + 60_000, least=least, most=4, seats=2, go_on=1, deals=1, entry=100, prizes=[100]
    )
    entrants = entered(tournament, 2)
    clock.wait(60)
    if least == 2:
        while steps.step(tournament.pk):
            pass
        clock.wait(6)
        play_table(Table.objects.get(tournament_id=tournament.pk).pk)
    nightly.freeze("for a reason")
    for _ in range(3):
        assert steps.make_due_steps(clock.now) == 0
        clock.wait(1)
    assert [record.getMessage() for record in caplog.records] == []
    assert sum(spendable(entrant.user_id or 0, "FUN") for entrant in entrants) == 2 * 9_900
    lift_by_two()
    for _ in range(3):
        steps.make_due_steps(clock.now)
    tournament.refresh_from_db()
    assert tournament.over_ms is not None
    assert sum(spendable(entrant.user_id or 0, "FUN") for entrant in entrants) == 2 * 10_000
    assert audit().differences == []
