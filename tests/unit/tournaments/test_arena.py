"""Arenas: pairing, refills, absence, the end."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from rules.game import moves
from tables import staff
from tables.log import reading
from tables.models import Entrant, LoggedEvent, Seating, Table, Tournament
from tables.play import presence, store
from tables.play.advance import advance, changing, finish, run_overdue_clocks
from tables.tournaments import arena, services, steps
from tests.support.clock import Clock
from tests.support.players import signed_up
from tests.support.staff import browser_of
from tests.support.tournaments import ARENA, entered, opened, play_on, play_table
from wallet.audit.audit import audit
from wallet.audit_log.services import PLATFORM
from wallet.responsible_gaming import admission, services as responsible_gaming

pytestmark = pytest.mark.django_db


def begun(clock: Clock, players: int, **rules: object) -> tuple[Tournament, list[Entrant]]:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **{**ARENA, **rules})
    entrants = entered(tournament, players)
    clock.wait(60)
    step_all(tournament)
    return tournament, entrants


def step_all(tournament: Tournament) -> None:
    while steps.step(tournament.pk):
        pass
    tournament.refresh_from_db()


def tables_of(tournament: Tournament) -> list[set[int | None]]:
    seatings = Seating.objects.filter(table__tournament_id=tournament.pk, table__status="open")
    by_table: dict[int, set[int | None]] = {}
    for table_id, entrant_id in seatings.values_list("table_id", "entrant_id"):
        by_table.setdefault(table_id, set()).add(entrant_id)
    return list(by_table.values())


def test_an_arena_is_played_to_its_end_and_no_chip_is_made_or_lost(clock: Clock) -> None:
    tournament, _ = begun(clock, 5, minutes=2, entry=100, fee_percent=10, prizes=[60, 40])
    play_on(clock, tournament)
    assert tournament.status == Tournament.Status.OVER
    entrants = Entrant.objects.filter(tournament=tournament)
    assert sum(entrant.chips - 1_000 * (1 + entrant.refilled) for entrant in entrants) == 0
    assert sum(entrant.prize for entrant in entrants) == 450 and tournament.fee == 50
    assert audit().differences == []


def test_nobody_sits_with_the_same_people_at_once_again(clock: Clock) -> None:
    tournament, _ = begun(clock, 12)
    first = tables_of(tournament)
    assert sorted(map(len, first)) == [6, 6]
    clock.wait(9)
    for table in Table.objects.filter(tournament_id=tournament.pk):
        play_table(table.pk)
    clock.wait(4)
    step_all(tournament)
    assert all(before != after for before in first for after in tables_of(tournament))


def test_who_has_just_met_waits_for_others_but_not_for_long(clock: Clock) -> None:
    tournament, _ = begun(clock, 8)
    first, second = Table.objects.filter(tournament_id=tournament.pk).order_by("pk")
    clock.wait(9)
    play_table(first.pk)
    clock.wait(1)
    play_table(second.pk)
    clock.wait(3)
    step_all(tournament)
    assert tables_of(tournament) == [], "the others still look at their result"
    clock.wait(3)
    step_all(tournament)
    mixed = tables_of(tournament)
    assert all(
        party & set(met.values_list("entrant_id", flat=True))
        for party in mixed
        for met in (first.seatings, second.seatings)
    )
    clock.wait(9)
    play_table(Table.objects.get(pk__gt=second.pk, seatings__entrant_id=min(mixed[0])).pk)
    clock.wait(5)
    step_all(tournament)
    assert tables_of(tournament) == mixed[1:]
    clock.wait(4)
    step_all(tournament)
    assert mixed[0] in tables_of(tournament), "nobody else came"


def test_who_is_away_is_not_paired_until_they_come_back(clock: Clock) -> None:
    tournament, (away, *others) = begun(clock, 4)
    for table in Table.objects.filter(tournament_id=tournament.pk):
        clock.wait(9)
        play_table(table.pk)
    services.step_away(tournament_id=tournament.pk, user=away.user)
    clock.wait(4)
    step_all(tournament)
    assert tables_of(tournament) == [{other.pk for other in others}]
    services.come_back(tournament_id=tournament.pk, user=away.user)
    late = services.enter(tournament_id=tournament.pk, user=signed_up())
    clock.wait(4)
    step_all(tournament)
    assert {away.pk, late.pk} in tables_of(tournament)


def test_who_steps_away_in_a_deal_plays_it_and_is_not_paired_again(clock: Clock) -> None:
    tournament, (away, *others) = begun(clock, 3)
    [table] = Table.objects.filter(tournament_id=tournament.pk)
    clock.wait(9)
    run_out(table)
    services.step_away(tournament_id=tournament.pk, user=away.user)
    play_table(table.pk)
    assert Entrant.objects.get(pk=away.pk).deals == 1
    clock.wait(4)
    step_all(tournament)
    assert tables_of(tournament) == [{other.pk for other in others}]


def test_who_left_a_deal_and_is_back_waits_for_its_end(clock: Clock) -> None:
    tournament, (leaver, *_) = begun(clock, 4)
    [table] = Table.objects.filter(tournament_id=tournament.pk)
    clock.wait(9)
    lose(table, leaver)
    clock.wait(4)
    step_all(tournament)
    assert Table.objects.filter(tournament_id=tournament.pk).count() == 1
    play_table(table.pk)
    clock.wait(4)
    step_all(tournament)
    assert any(leaver.pk in party for party in tables_of(tournament))


def test_who_has_no_socket_is_not_paired(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    gone, *there = entered(tournament, 3)
    presence.cache.delete(presence._key(gone.user_id or 0))
    clock.wait(60)
    step_all(tournament)
    assert tables_of(tournament) == [{entrant.pk for entrant in there}]


def test_who_takes_a_break_from_play_is_not_paired(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    rests, *there = entered(tournament, 3)
    responsible_gaming.exclude(user=rests.user, period="ever")
    clock.wait(60)
    step_all(tournament)
    assert tables_of(tournament) == [{entrant.pk for entrant in there}]


def test_who_takes_a_break_while_it_runs_is_told_so_and_comes_back_to_a_running_deal_alone(clock: Clock) -> None:
    tournament, (rests, *_) = begun(clock, 3)
    [table] = Table.objects.filter(tournament_id=tournament.pk)
    responsible_gaming.exclude(user=rests.user, period="week")
    page, path = browser_of(rests.user), f"/tournaments/{tournament.pk}/"
    said = "You have excluded yourself from play until"
    assert said not in page.get(path).content.decode(), "the deal is played to its end"
    assert page.get(f"/api{path}").json()["not_paired"] == ""
    services.come_back(tournament_id=tournament.pk, user=rests.user)
    clock.wait(9)
    play_table(table.pk)
    shown = page.get(f"/tournaments/{tournament.pk}/now/").content.decode()
    assert said in shown and 'name="act"' not in shown, "no button that would be refused"
    assert said in page.get(f"/api{path}").json()["not_paired"]
    with pytest.raises(admission.CareRefusal, match=said):
        services.come_back(tournament_id=tournament.pk, user=rests.user)
    answer = page.post(f"{path}act/", {"act": "back"}, follow=True).content.decode()
    assert said in answer and "You play on." not in answer


def test_who_is_locked_once_it_has_begun_is_not_paired(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    locked, *there = entered(tournament, 3)
    clock.wait(60)
    steps.step(tournament.pk)
    type(locked.user).objects.filter(pk=locked.user_id).update(is_active=False)
    step_all(tournament)
    assert tables_of(tournament) == [{entrant.pk for entrant in there}]


def test_no_deal_begins_in_the_last_half_minute(clock: Clock) -> None:
    tournament, _ = begun(clock, 2)
    [table] = Table.objects.filter(tournament_id=tournament.pk)
    clock.wait(9)
    play_table(table.pk)
    # A table that opens now would be dealt to five seconds later.
    clock.now = (tournament.ends_ms or 0) - 34_000
    step_all(tournament)
    assert tables_of(tournament) == []
    clock.wait(34)
    step_all(tournament)
    assert tournament.status == Tournament.Status.OVER


def test_who_has_nothing_left_is_given_chips_once(clock: Clock) -> None:
    tournament, (loser, _) = begun(clock, 2)
    for expected, refilled in ((930, True), (-70, True)):
        Entrant.objects.filter(pk=loser.pk).update(chips=10)
        [table] = Table.objects.filter(tournament_id=tournament.pk, status="open")
        clock.wait(9)
        lose(table, loser)
        loser.refresh_from_db()
        assert (loser.chips, loser.refilled) == (expected, refilled)
        clock.wait(4)
        step_all(tournament)


def test_a_deal_of_six_ends_with_as_few_statements_as_one_of_two_and_a_drop_reads_no_entrant(clock: Clock) -> None:
    ends = []
    for players in (2, 2, 6):  # The first deal of all opens the account of the fees.
        tournament, _ = begun(clock, players)
        [table] = Table.objects.filter(tournament_id=tournament.pk)
        clock.wait(9)
        run_out(table)
        written = []
        while Table.objects.get(pk=table.pk).status == "open":
            with CaptureQueriesContext(connection) as queries:
                drop(table)
            written.append(queries.captured_queries)
        *drops, end = written
        assert len(drops) == players - 2 and not any("tables_entrant" in each["sql"] for drop in drops for each in drop)
        counted = Entrant.objects.filter(tournament=tournament).values_list("deals", "changed_ms")
        assert list(counted) == [(1, clock.now)] * players
        ends.append(len(end))
    assert ends[1] == ends[2] <= 30
    assert audit().differences == []


def run_out(table: Table) -> None:
    """Run out the clock that is over: deal, or play for whose turn it was."""
    with changing(table.pk):
        locked = store.lock_table(table.pk)
        run_overdue_clocks(locked)
        finish(locked)


def drop(table: Table) -> None:
    """Have whose turn it is drop."""
    with changing(table.pk):
        locked = store.lock_table(table.pk)
        assert locked.state.deal is not None and locked.state.deal.turn is not None
        advance(locked, moves.Drop(seat=locked.state.deal.turn.seat))
        finish(locked)


def test_only_whose_turn_was_played_for_them_counts_as_changed(clock: Clock) -> None:
    tournament, _ = begun(clock, 3)
    [table] = Table.objects.filter(tournament_id=tournament.pk)
    clock.wait(9)
    run_out(table)
    changed = Entrant.objects.filter(tournament=tournament, changed_ms__gt=0)
    while not changed.exists():  # Time in reserve runs out first.
        table.refresh_from_db()
        clock.now = table.deadline_ms or 0
        state = reading.latest_state(table)
        assert state.deal is not None and state.deal.turn is not None
        turn = state.deal.turn.seat
        run_out(table)
    entrant_id = table.seatings.get(seat=turn).entrant_id
    assert list(changed.values_list("pk", "automatic", "changed_ms")) == [(entrant_id, 1, clock.now)]


def lose(table: Table, loser: Entrant) -> None:
    """Have the loser leave the deal at its price, 80 points in the first round, and come back."""
    with changing(table.pk):
        locked = store.lock_table(table.pk)
        run_overdue_clocks(locked)
        seat = next(seat for seat, seating in locked.seatings.items() if seating.entrant_id == loser.pk)
        advance(locked, moves.Leave(seat=seat))
        finish(locked)
    services.come_back(tournament_id=loser.tournament_id, user=loser.user)


def test_who_sat_at_a_table_that_a_fault_has_frozen_plays_on_elsewhere(clock: Clock) -> None:
    tournament, entrants = begun(clock, 3)
    Table.objects.filter(tournament_id=tournament.pk).update(status="frozen", fault="Traceback")
    clock.wait(4)
    step_all(tournament)
    clock.wait(4)
    step_all(tournament)
    assert tables_of(tournament) == [{entrant.pk for entrant in entrants}]
    assert set(Entrant.objects.values_list("chips", "deals")) == {(1_000, 0)}
    assert audit().differences == []


def test_who_sits_at_a_table_that_staff_have_stopped_plays_on_elsewhere(clock: Clock) -> None:
    tournament, entrants = begun(clock, 3)
    [stopped] = Table.objects.filter(tournament_id=tournament.pk)
    staff.freeze_table(table_id=stopped.pk, reason="somebody complained", actor=PLATFORM)
    clock.wait(4)
    step_all(tournament)
    assert {table.pk for table in Table.objects.filter(tournament_id=tournament.pk, status="frozen")} == {stopped.pk}
    assert tables_of(tournament) == [{entrant.pk for entrant in entrants}]
    assert set(Entrant.objects.values_list("chips", "deals", "waits_ms")) == {(1_000, 0, None)}
    assert audit().differences == []


def test_whose_table_was_voided_plays_on_elsewhere_but_not_who_stepped_away(clock: Clock) -> None:
    tournament, entrants = begun(clock, 4)
    [lost] = Table.objects.filter(tournament_id=tournament.pk)
    services.step_away(tournament_id=tournament.pk, user=entrants[0].user)
    LoggedEvent.objects.filter(table=lost).update(payload=b"lost")
    Table.objects.filter(pk=lost.pk).update(snapshot=b"lost", status="frozen", fault="Traceback")
    clock.wait(4)
    step_all(tournament)
    lost.refresh_from_db()
    assert lost.void_at is not None
    clock.wait(4)
    step_all(tournament)
    assert tables_of(tournament) == [{entrant.pk for entrant in entrants[1:]}]


def test_a_deal_that_stood_still_counts_when_it_ends(clock: Clock) -> None:
    """With 40 chips left somebody wins 80 elsewhere before they lose 80 there: they were never at 0."""
    tournament, (first, second) = begun(clock, 2)

    def table_after(seconds: float) -> Table:
        services.presence.note_alive(first.user_id or 0, second.user_id or 0)
        clock.wait(seconds)
        step_all(tournament)
        return Table.objects.filter(tournament_id=tournament.pk, status="open").latest("pk")

    for _ in range(12):
        clock.wait(6)
        lose(table_after(0), first)
        clock.wait(4)
        table_after(6)
    stopped = table_after(0)
    clock.wait(6)
    run_out(stopped)
    staff.freeze_table(table_id=stopped.pk, reason="a look", actor=PLATFORM)
    step_all(tournament)
    other = table_after(10)
    clock.wait(6)
    lose(other, second)
    clock.wait(1)
    staff.resume_table(table_id=stopped.pk, reason="well", actor=PLATFORM)
    lose(stopped, first)
    entrant = Entrant.objects.get(pk=first.pk)
    assert (entrant.chips, entrant.refilled, entrant.deals) == (40, False, 14)
    assert audit().differences == []


def test_who_steps_away_while_others_are_seated_stays_away(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = opened(clock, starts_ms=clock.now, **ARENA)
    away, *_ = entered(tournament, 12)
    steps.step(tournament.pk)

    def waits(party: list[Entrant], now: int) -> bool:
        """Have the party with who steps away wait on, and the other seated."""
        if away not in party:
            return False
        services.step_away(tournament_id=tournament.pk, user=away.user)
        return True

    monkeypatch.setattr(arena, "_others_come", lambda tournament, now: True)
    monkeypatch.setattr(arena, "_waits_for_others", waits)
    steps.step(tournament.pk)
    assert [len(party) for party in tables_of(tournament)] == [6]
    assert Entrant.objects.get(pk=away.pk).waits_ms is None
