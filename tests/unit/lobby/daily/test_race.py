"""The deal of the day asked for by many at the same moment: it is made once, and each player has one try."""

from collections import Counter

import pytest
from django.utils import timezone

from lobby.daily import services
from tables import daily
from tables.models import Attempt, Seating, Series, Shoe, Table
from tests.support.players import signed_up
from tests.support.side_by_side import at_once
from wallet.audit import audit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("noon", "sent"), pytest.mark.databases]


def test_two_windows_at_once_are_one_try() -> None:
    user, shoe = signed_up(), services.todays_shoe(timezone.now())
    seatings = at_once([lambda: services.sit_down(shoe=shoe, user=user)] * 4)
    assert all(isinstance(seating, Seating) for seating in seatings), seatings
    assert {seating.table_id for seating in seatings} == {Attempt.objects.get().table_id}
    assert Table.objects.count() == 1 and not audit.audit().differences


def test_whoever_asks_first_makes_the_days() -> None:
    answers = at_once([daily.ensure_days] * 6)
    assert set(answers) == {None}
    assert Counter(Shoe.objects.values_list("series__day", flat=True)) == Counter(
        Series.objects.values_list("day", flat=True)
    )
    assert Series.objects.count() == Shoe.objects.count() == 2


def test_a_match_takes_no_more_players_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_PLAYERS", 2)
    shoe = services.open_match(user=signed_up()).shoes.earliest("number")
    players = [signed_up() for _ in range(5)]
    answers = at_once([lambda p=player: services.sit_down(shoe=shoe, user=p) for player in players])
    assert Counter(answer if isinstance(answer, str) else "seated" for answer in answers) == {
        "seated": 2,
        "match_full": 3,
    }
