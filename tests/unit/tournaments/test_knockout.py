"""Knock-outs from entry to prizes."""

import pytest

from tables.models import Entrant, Tournament
from tests.support.clock import Clock
from tests.support.tournaments import entered, opened, play_on
from wallet.audit.audit import audit
from wallet.ledger.selectors import spendable

pytestmark = pytest.mark.django_db


def test_a_sit_and_go_of_six_is_played_to_its_prizes(clock: Clock) -> None:
    tournament = opened(clock, entry=100)
    entrants = entered(tournament, 6)
    play_on(clock, tournament)
    assert tournament.status == Tournament.Status.OVER
    assert tournament.rounds == tournament.round == 1
    prizes = {entrant.place: entrant.prize for entrant in Entrant.objects.filter(tournament=tournament)}
    assert sorted(prizes) == [1, 2, 3, 4, 5, 6] and sum(prizes.values()) == 600
    assert sum(entrant.chips for entrant in tournament.entrants.all()) == 6 * 160
    assert sum(spendable(entrant.user_id or 0, "FUN") for entrant in entrants) == 6 * 10_000
    assert audit().differences == []


def test_the_best_of_each_table_go_on_to_the_last(clock: Clock) -> None:
    tournament = opened(clock, most=9)
    entered(tournament, 9)
    play_on(clock, tournament)
    by_round = {entrant.place: entrant.round for entrant in tournament.entrants.all()}
    assert tournament.round == 2
    assert [by_round[place] for place in sorted(by_round)] == sorted(by_round.values(), reverse=True)
    assert audit().differences == []
