"""Knock-outs from entry to prizes."""

import hashlib
import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import transaction

from rules.game import moves
from rules.shuffling import shuffled
from tables import staff
from tables.errors import TableError
from tables.history import filters
from tables.history.figures import figures_of
from tables.models import Entrant, Round, Seating, Table, Tournament
from tables.play import services as play, store
from tables.play.advance import advance, changing, finish, run_overdue_clocks
from tables.play.opening import open_table
from tables.tournaments import services, staff as tournament_staff, steps
from tables.watching.pictures import round_is_watched
from tests.support.clock import Clock
from tests.support.players import signed_up
from tests.support.staff import browser_of
from tests.support.tables import terms
from tests.support.tournaments import entered, opened, play_on, play_round, play_table
from wallet.audit.audit import audit
from wallet.audit_log.services import PLATFORM
from wallet.ledger.selectors import spendable

pytestmark = pytest.mark.django_db


def test_a_sit_and_go_of_six_is_played_to_its_prizes(clock: Clock) -> None:
    tournament = opened(clock, entry=100)
    entrants = entered(tournament, 6)
    play_on(clock, tournament)
    assert tournament.status == Tournament.Status.OVER
    assert tournament.rounds == tournament.round == 1
    places, prizes = zip(*tournament.entrants.order_by("place").values_list("place", "prize"), strict=True)
    # Two who are out with as many chips share a place.
    assert len(places) == 6 and all(place == 1 + places.index(place) for place in places) and sum(prizes) == 600
    assert sum(entrant.chips for entrant in tournament.entrants.all()) == 6 * 160
    assert sum(spendable(entrant.user_id or 0, "FUN") for entrant in entrants) == 6 * 10_000
    assert audit().differences == []


def test_a_players_history_takes_its_chips_for_no_stakes_and_its_prize_for_none_of_a_match(clock: Clock) -> None:
    tournament = opened(clock, entry=100)
    entered(tournament, 6)
    play_on(clock, tournament)
    winner = tournament.entrants.filter(prize__gt=100).earliest("place")
    assert winner.user is not None
    [chips] = filters.deal_sums(winner.user)
    assert (chips.currency, chips.matches) == ("TOURNAMENT", None)
    page = browser_of(winner.user).get("/history/").content.decode()
    assert "Tournament chips" in page and "Chips at stakes" not in page
    assert "Match over" in page and "no prize" not in page
    own = figures_of(winner.user, currency="FUN", practice=False)
    assert own.total.amount == sum(amount for _day, amount in own.days) == 0, "the total and the days agree"


def test_the_best_of_each_table_go_on_to_the_last(clock: Clock) -> None:
    tournament = opened(clock, most=9)
    entered(tournament, 9)
    play_on(clock, tournament)
    by_round = {entrant.place: entrant.round for entrant in tournament.entrants.all()}
    assert tournament.round == 2
    assert [by_round[place] for place in sorted(by_round)] == sorted(by_round.values(), reverse=True)
    assert audit().differences == []


def test_a_tournament_counts_as_one_of_three_tables(clock: Clock) -> None:
    """It is refused to who sits at three tables, and a seat elsewhere to who is in a tournament and at two."""
    tournament, player = opened(clock), signed_up()
    tables = [open_table(terms=terms(), title=f"Table {each}", currency="FUN") for each in range(3)]
    for table in tables:
        play.sit(table_id=table.pk, user=player)
    with pytest.raises(TableError) as refusal:
        services.enter(tournament_id=tournament.pk, user=player)
    assert refusal.value.code == "too_many_tables"
    play.leave_if_idle(user_id=player.pk)
    services.enter(tournament_id=tournament.pk, user=player)
    for table in tables[:2]:
        play.sit(table_id=table.pk, user=player)
    with pytest.raises(TableError) as refusal:
        play.sit(table_id=tables[2].pk, user=player)
    assert refusal.value.code == "too_many_tables"
    entered(tournament, 5)
    while steps.step(tournament.pk):
        pass
    assert Seating.objects.filter(user=player, left_at=None).count() == 3


def test_a_leaver_has_the_place_of_that_moment_and_nobody_wins_by_it(clock: Clock) -> None:
    tournament = opened(clock, most=3, deals=2, entry=100, prizes=[70, 30])
    leaver, *_ = entered(tournament, 3)
    while steps.step(tournament.pk):
        pass
    [table] = Table.objects.filter(tournament_id=tournament.pk)
    clock.wait(6)
    with changing(table.pk):
        locked = store.lock_table(table.pk)
        run_overdue_clocks(locked)
        advance(locked, moves.Leave(seat=table.seatings.get(entrant_id=leaver.pk).seat))
        finish(locked)
    play_on(clock, tournament)
    leaver.refresh_from_db()
    others = tournament.entrants.exclude(pk=leaver.pk)
    shown = [(other.chips, other.deals_won, -other.points_lost) for other in others]
    # What they had when they left stands, also beside somebody who stayed and lost more; equals share their prizes.
    own = (80, leaver.deals_won, -leaver.points_lost)
    better, equals = sum(each > own for each in shown), 1 + shown.count(own)
    prize = sum([210, 90, 0][better : better + equals]) // equals
    assert (leaver.status, leaver.chips, leaver.place, leaver.prize) == ("left", 80, better + 1, prize)
    assert audit().differences == []


def test_equals_share_the_prizes_of_their_places(clock: Clock) -> None:
    tournament = opened(clock, most=3, entry=101, prizes=[50, 30, 20])
    entered(tournament, 3)
    while steps.step(tournament.pk):
        pass
    with transaction.atomic():
        for table in Table.objects.filter(tournament_id=tournament.pk):
            staff.cancel_table(table_id=table.pk, reason="the light went out", actor=PLATFORM)
    steps.step(tournament.pk)
    prizes = list(tournament.entrants.order_by("pk").values_list("place", "prize"))
    assert prizes == [(1, 101), (1, 101), (1, 101)]
    assert audit().differences == []


def test_with_too_few_it_is_cancelled_and_all_comes_back(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, least=3, entry=100)
    [entrant] = entered(tournament, 1)
    clock.wait(60)
    steps.step(tournament.pk)
    tournament.refresh_from_db()
    assert tournament.status == Tournament.Status.CANCELLED
    assert spendable(entrant.user_id or 0, "FUN") == 10_000
    assert audit().differences == []


def test_every_round_that_may_come_is_committed_to_before_anybody_enters(clock: Clock) -> None:
    """Of tables of three nine players need four rounds, and ten only three."""
    tournament = opened(clock, starts_ms=clock.now + 60_000, most=10, seats=3, go_on=2, deals=1)
    commitments = dict(Round.objects.values_list("number", "commitment"))
    entered(tournament, 9)
    clock.wait(60)
    play_on(clock, tournament)
    assert tournament.round == 4
    assert dict(Round.objects.values_list("number", "commitment")) == commitments


def test_a_final_is_known_as_one_however_many_leave_before_it(clock: Clock) -> None:
    tournament = opened(clock, most=8, seats=2, go_on=1, deals=1)
    entered(tournament, 8)
    play_round(clock, tournament)
    assert (tournament.round, tournament.rounds) == (1, 3)
    for entrant in tournament.entrants.filter(status=Entrant.Status.IN)[:2]:
        tournament_staff.remove_entrant(entrant_id=entrant.pk, reason="two accounts", actor=PLATFORM)
    play_on(clock, tournament)
    assert tournament.round == tournament.rounds == 2
    assert round_is_watched(tournament, 2) and not round_is_watched(tournament, 1)
    assert audit().differences == []


def test_staff_pause_resume_cancel_and_remove(clock: Clock) -> None:
    tournament = opened(clock, most=4, seats=2, go_on=1, deals=1, entry=100, prizes=[100])
    cheat, *_ = entered(tournament, 4)
    tournament_staff.pause(tournament_id=tournament.pk, reason="look at it", actor=PLATFORM)
    assert not steps.step(tournament.pk)
    tournament_staff.resume(tournament_id=tournament.pk, reason="all is well", actor=PLATFORM)
    while steps.step(tournament.pk):
        pass
    clock.wait(6)
    tournament_staff.remove_entrant(entrant_id=cheat.pk, reason="two accounts", actor=PLATFORM)
    play_on(clock, tournament)
    assert Entrant.objects.get(pk=cheat.pk).place is None
    assert sum(entrant.prize for entrant in tournament.entrants.all()) == 400
    assert audit().differences == []


def test_staff_cancel_it_while_it_is_played(clock: Clock) -> None:
    tournament = opened(clock, most=4, seats=2, entry=100)
    entrants = entered(tournament, 4)
    while steps.step(tournament.pk):
        pass
    clock.wait(6)
    for table in Table.objects.filter(tournament_id=tournament.pk):
        play_table(table.pk)
    tournament_staff.cancel(tournament_id=tournament.pk, reason="a fault of ours", actor=PLATFORM)
    assert {spendable(entrant.user_id or 0, "FUN") for entrant in entrants} == {10_000}
    assert not Table.objects.filter(tournament_id=tournament.pk, status="open").exists()
    assert audit().differences == []


def test_the_seats_are_drawn_again_from_the_proof(clock: Clock) -> None:
    tournament = opened(clock, most=9)
    entered(tournament, 9)
    commitments = dict(Round.objects.values_list("number", "commitment"))
    assert set(commitments) >= {1, 2}, "committed before anybody could enter"
    while steps.step(tournament.pk):
        pass
    out = StringIO()
    call_command("draw_of", str(tournament.pk), "1", "--json", stdout=out)
    proof = json.loads(out.getvalue())
    seed, entrants = bytes.fromhex(proof["seed"]), proof["entrants"]
    label = f"{tournament.pk}/1"
    assert hashlib.sha256(b"tournament-v1" + label.encode() + seed).hexdigest() == commitments[1]
    order = list(shuffled(entrants, label, seed, (), b"tournament-v1"))
    assert proof["tables"] == [order[:5], order[5:]] and proof["honest"]
    Seating.objects.filter(entrant_id=order[0]).update(entrant_id=order[8])
    with pytest.raises(SystemExit):
        call_command("draw_of", str(tournament.pk), "1", stdout=StringIO())


def test_nobody_comes_and_goes_without_end(clock: Clock) -> None:
    tournament, user = opened(clock, entry=100), signed_up()
    for _ in range(services.MOST_WITHDRAWALS):
        services.enter(tournament_id=tournament.pk, user=user)
        services.withdraw_entry(tournament_id=tournament.pk, user=user)
    with pytest.raises(TableError) as refused:
        services.enter(tournament_id=tournament.pk, user=user)
    assert refused.value.code == "too_often"
    assert spendable(user.pk, "FUN") == 10_000


def test_who_leads_a_final_of_two_and_leaves_has_won_it(clock: Clock) -> None:
    tournament = opened(clock, most=2, deals=3, entry=100, prizes=[70, 30])
    entrants = entered(tournament, 2)
    while steps.step(tournament.pk):
        pass
    [table] = Table.objects.filter(tournament_id=tournament.pk)
    while not Entrant.objects.filter(deals=1).exists():
        clock.wait(6)
        play_table(table.pk)
    leader = Entrant.objects.order_by("-chips")[0]
    assert leader.chips > 240
    with changing(table.pk):
        locked = store.lock_table(table.pk)
        advance(locked, moves.Leave(seat=table.seatings.get(entrant_id=leader.pk).seat))
        finish(locked)
    play_on(clock, tournament)
    places = dict(Entrant.objects.values_list("pk", "place"))
    assert places == {leader.pk: 1, next(each.pk for each in entrants if each.pk != leader.pk): 2}
    assert audit().differences == []
