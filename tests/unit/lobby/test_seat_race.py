"""Many players at the same moment: every seat is taken once, nobody pays twice, and everybody who can sit sits."""

from collections import Counter
from functools import partial
from threading import Event
from time import sleep
from typing import Any

import pytest
from django.test import RequestFactory

from lobby.account_data import closing
from lobby.models import Player, Stake
from lobby.stakes import private_tables, services as stakes
from tables import private_bounds
from tables.models import Seating, Table
from tests.support.players import signed_up
from tests.support.side_by_side import at_once, outcomes
from tests.support.staff import act, browser_of, employ
from tests.support.stakes import StakeFactory
from tests.support.tables import connected
from wallet.audit import audit
from wallet.ledger import selectors as ledger
from wallet.play_money import refills
from wallet.responsible_gaming import admission, services as responsible_gaming

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sent"), pytest.mark.databases]


def paid(player: Player) -> int:
    return ledger.balances(player)[0]["in_play"]


def test_practice_asked_for_at_once_is_one_table() -> None:
    user = signed_up()
    seatings = at_once([lambda: stakes.practice(user=user, book_key="standard-points", players=3)] * 4)
    assert {seating.table_id for seating in seatings} == {seatings[0].table_id}
    assert Seating.objects.filter(user=user).count() == Table.objects.count() == 1


def test_seven_quick_seats_at_once_fill_tables_without_gap_or_clash() -> None:
    stake = StakeFactory(seats=2)
    players = [signed_up() for _ in range(7)]
    seatings = at_once(
        [lambda p=player: stakes.quick_seat(stake_id=stake.pk, user=p, amount=100) for player in players]
    )
    assert all(isinstance(seating, Seating) for seating in seatings), seatings
    places = [(seating.table_id, seating.seat) for seating in seatings]
    assert len(set(places)) == 7
    assert sorted(Counter(table for table, _ in places).values()) == [1, 2, 2, 2]
    assert [paid(player) for player in players] == [100] * 7
    assert Table.objects.filter(stake_id=stake.pk).count() == 4


def test_two_who_sit_down_at_two_tables_of_one_friend_do_not_pass_the_bound_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(private_bounds, "_OTHERS", 1)
    friend, others = signed_up(), [signed_up(), signed_up()]
    stake = Stake(book="standard-points", seats=6, point_value=1)
    codes = [private_tables.open_own_table(user=friend, stake=stake) for _ in others]
    for code in codes:
        stakes.sit_by_code(code=code, user=friend, amount=100)
    within_reach = private_bounds._within_reach
    monkeypatch.setattr(private_bounds, "_within_reach", lambda *place: (within_reach(*place), sleep(0.3))[0])
    calls = [
        partial(stakes.sit_by_code, code=code, user=other, amount=6_000)
        for code, other in zip(codes, others, strict=True)
    ]
    assert outcomes(*calls) == {"done": 1, "limit_reached": 1}


def test_the_last_seat_goes_to_exactly_one() -> None:
    stake = StakeFactory(seats=3)
    stakes.quick_seat(stake_id=stake.pk, user=signed_up())
    table = stakes.quick_seat(stake_id=stake.pk, user=signed_up()).table_id
    players = [signed_up() for _ in range(5)]
    answers = at_once([lambda p=player: stakes.sit_at(table_id=table, user=p, amount=100) for player in players])
    assert Counter(answer if isinstance(answer, str) else "seated" for answer in answers) == {
        "seated": 1,
        "table_full": 4,
    }
    assert sorted(paid(player) for player in players) == [0, 0, 0, 0, 100]


def test_concurrent_requests_of_a_player_give_one_paid_seat_a_stake() -> None:
    asha = signed_up()
    offered = [StakeFactory(seats=2) for _ in range(2)]
    calls = [lambda s=stake: stakes.quick_seat(stake_id=s.pk, user=asha, amount=100) for stake in offered * 3]
    answers = at_once(calls)
    assert len({seating.pk for seating in answers}) == 2, answers
    assert Seating.objects.filter(user=asha).count() == 2
    assert paid(asha) == 200


def test_concurrent_requests_give_three_tables_at_most() -> None:
    asha = signed_up()
    offered = [StakeFactory(seats=2) for _ in range(5)]
    answers = at_once([lambda s=s: stakes.quick_seat(stake_id=s.pk, user=asha, amount=100) for s in offered])
    assert Counter(answer if isinstance(answer, str) else "seated" for answer in answers) == {
        "seated": 3,
        "too_many_tables": 2,
    }
    assert paid(asha) == 300


def test_concurrent_requests_open_one_table() -> None:
    stake = StakeFactory(seats=6)
    at_once([lambda: stakes.ensure_table(stake.pk)] * 5)
    assert Table.objects.filter(stake_id=stake.pk).count() == 1


def test_closing_and_sitting_down_at_once_do_one_of_the_two() -> None:
    stake, players = StakeFactory(seats=6), [signed_up() for _ in range(3)]
    request = RequestFactory().post("/")
    at_once(
        [
            call
            for thread in players
            for call in (
                lambda p=thread: closing.close_account(p, request),
                lambda p=thread: stakes.quick_seat(stake_id=stake.pk, user=p, amount=100),
                lambda p=thread: refills.refill(p),
            )
        ]
    )
    for player in players:
        closed = Player.objects.get(pk=player.pk).closed_at is not None
        balance = ledger.balances(player)[0]
        assert closed != Seating.objects.filter(user=player, freed_at=None).exists()
        assert balance["free"] + balance["in_play"] == (0 if closed else 10_000)
    assert audit.audit().differences == []


def test_staff_exclude_who_adds_chips_at_that_moment_without_a_deadlock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The player's move has locked the table and waits for their row, which the exclusion has locked."""
    asha, support = signed_up("asha"), browser_of(employ("support"))
    seating = stakes.quick_seat(stake_id=StakeFactory(seats=6).pk, user=asha, amount=100)
    excluding, adding = Event(), Event()
    exclude, admit = responsible_gaming.exclude, admission.admit
    at_table = connected(seating.table, asha)

    def exclude_and_wait(**of: Any) -> Any:
        exclusion = exclude(**of)
        excluding.set()
        if adding.wait(1):
            sleep(1.5)  # PostgreSQL looks after a second: so it is the act of staff that it would break off.
        return exclusion

    def admit_when_excluded(**of: Any) -> None:
        adding.set()
        excluding.wait(3)
        admit(**of)

    monkeypatch.setattr(responsible_gaming, "exclude", exclude_and_wait)
    monkeypatch.setattr(admission, "admit", admit_when_excluded)
    at_once(
        [lambda: act(support, "lobby_player_exclude_month", asha.pk), lambda: at_table.send("add_chips", amount=100)]
    )
    assert admission.excluded([asha.pk]) == {asha.pk}
    assert not Seating.objects.filter(user=asha, left_at=None).exists()
