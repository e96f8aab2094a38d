"""How far chips can go from player to player at a table for friends in a day: losing on purpose passes little on."""

from datetime import UTC, datetime

import pytest
import time_machine
from django.utils import timezone

from lobby.models import Player, Stake
from lobby.stakes import private_tables, services
from tables import private_bounds
from tables.errors import TableError
from tables.models import Match, Seating, Table
from tables.play.settlement import place_of
from tests.support.players import signed_up
from tests.support.staff import browser_of
from wallet.ledger.selectors import spendable
from wallet.models import Reason
from wallet.play_money import services as play_money

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

LEVEL = 10_000
#: Half past eleven at night in India.
EVENING = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)


@pytest.fixture
def rich() -> Player:
    asha = signed_up("rich")
    play_money.grant(user=asha, amount=500_000, key="planted", reason=Reason.ADJUST)
    return asha


def opened(host: Player) -> str:
    """Open a table of theirs and return its code."""
    stake = Stake(book="standard-points", seats=6, point_value=10)
    return private_tables.open_own_table(user=host, stake=stake)


def sit(code: str, player: Player, amount: int) -> Seating:
    return services.sit_by_code(code=code, user=player, amount=amount)


def refusal_of(code: str, player: Player, amount: int) -> str:
    with pytest.raises(TableError) as refusal:
        sit(code, player, amount)
    return refusal.value.code


def lose(loser: Seating, winner: Seating, amount: int, deal: int) -> None:
    key = f"deal:{deal}:settle"
    play_money.settle_deal(key=key, currency="FUN", winner=winner.pk, losses={loser.pk: amount}, fee=0)


def take_back(seating: Seating, stack: int) -> None:
    """Take back what is left of the stack, as the table does when somebody leaves."""
    play_money.cash_out(
        seating=seating.pk, amount=stack, key=f"seating:{seating.pk}:left", place=place_of(seating.table)
    )
    Seating.objects.filter(pk=seating.pk).update(left_at=timezone.now(), freed_at=timezone.now())


def test_nobody_puts_in_more_than_a_refill_gives_and_the_next_day_they_may_again(rich: Player) -> None:
    with time_machine.travel(EVENING, tick=False) as clock:
        code = opened(rich)
        assert refusal_of(code, rich, LEVEL + 1) == "limit_reached"
        seating = sit(code, rich, LEVEL)
        assert private_bounds.private_room(rich.pk, "FUN") == 0
        friend = sit(code, signed_up("friend"), LEVEL)
        lose(seating, friend, 6_000, 1)
        take_back(seating, 4_000)
        code = opened(rich)
        assert private_bounds.private_room(rich.pk, "FUN") == 4_000
        assert refusal_of(code, rich, 4_001) == "limit_reached"
        page = browser_of(rich).get(f"/private/{code}/").content.decode()
        assert 'max="4000"' in page
        clock.move_to(EVENING.replace(hour=18, minute=29, second=59))
        assert private_bounds.private_room(rich.pk, "FUN") == 4_000
        clock.move_to(EVENING.replace(hour=18, minute=30))
        assert private_bounds.private_room(rich.pk, "FUN") == LEVEL


def test_what_comes_back_may_be_put_in_again(rich: Player) -> None:
    for _ in range(3):
        take_back(sit(opened(rich), rich, LEVEL), LEVEL)
    assert spendable(rich.pk, "FUN") == 510_000


def test_many_accounts_cannot_feed_one(rich: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_bounds, "_OTHERS", 4)
    code, buyer = opened(rich), signed_up("buyer")
    seating = sit(code, buyer, 5_000)
    for number in range(4):
        puppet = sit(code, signed_up(f"puppet{number}"), LEVEL)
        lose(puppet, seating, LEVEL, number)
    assert refusal_of(code, signed_up("puppet5"), LEVEL) == "limit_reached"
    take_back(seating, 45_000)
    assert refusal_of(opened(rich), buyer, 1_000) == "limit_reached", "nor does the next table"


def test_many_accounts_cannot_feed_one_at_several_tables_at_once(rich: Player) -> None:
    """All sit down before anything is lost: at the first table five, then nobody at any other where that one sits."""
    buyer, puppets = signed_up("buyer"), [signed_up(f"puppet{number}") for number in range(6)]
    first, second = opened(rich), opened(rich)
    for code in (first, second):
        sit(code, buyer, 5_000)
    for puppet in puppets[:5]:
        sit(first, puppet, LEVEL)
    with pytest.raises(TableError, match="50,000 chips a day can be won"):
        sit(second, puppets[5], 1_000)
    third = opened(rich)
    sit(third, puppets[5], LEVEL)
    assert refusal_of(third, buyer, 1_000) == "limit_reached", "nor does that one go to where another waits"


def test_what_lies_in_a_pot_is_within_reach(rich: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_bounds, "_OTHERS", 1)
    stake = Stake(book="standard-pool-101", seats=2, entry=LEVEL)
    codes = [private_tables.open_own_table(user=rich, stake=stake) for _ in range(2)]
    buyer = signed_up("buyer")
    play_money.grant(user=buyer, amount=LEVEL, key="more", reason=Reason.ADJUST)
    seatings = [sit(codes[0], player, LEVEL) for player in (signed_up("puppet0"), buyer)]
    match = Match.objects.get(table=seatings[0].table)
    play_money.take_entries(match=match.pk, currency="FUN", entries={seating.pk: LEVEL for seating in seatings})
    monkeypatch.setattr(private_bounds, "_net", lambda *_: 0)
    sit(codes[1], signed_up("puppet1"), LEVEL)
    with pytest.raises(TableError, match="can be won"):
        sit(codes[1], buyer, LEVEL)


def test_what_was_won_yesterday_and_lay_at_the_table_overnight_locks_nobody_out(
    rich: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private_bounds, "_OTHERS", 2)
    with time_machine.travel(EVENING, tick=False) as clock:
        code, winner = opened(rich), signed_up("winner")
        seating = sit(code, winner, LEVEL)
        for number in range(2):
            lose(sit(code, signed_up(f"friend{number}"), LEVEL), seating, LEVEL, number)
        assert refusal_of(code, signed_up("third"), 1_000) == "limit_reached"
        # The database's own clock, which no test moves, has set when they sat down.
        Seating.objects.update(taken_at=EVENING)
        clock.move_to(EVENING.replace(hour=18, minute=30))
        sit(code, signed_up("fourth"), 1_000)
        take_back(seating, 3 * LEVEL)
        sit(opened(rich), winner, 1_000)


def test_tables_of_the_lobby_know_no_such_bound(rich: Player) -> None:
    stake = Stake.objects.create(book="standard-points", seats=6, point_value=100, currency="FUN")
    services.quick_seat(stake_id=stake.pk, user=rich, amount=100_000)
    assert spendable(rich.pk, "FUN") == 410_000


def test_no_table_is_opened_at_which_nobody_could_sit(rich: Player) -> None:
    with pytest.raises(TableError) as refusal:
        private_tables.open_own_table(user=rich, stake=Stake(book="standard-points", seats=6, point_value=1_000))
    assert refusal.value.code == "limit_reached"
    answer = browser_of(rich).post("/private/new/", {"book": "standard-pool-101", "seats": 2, "entry": LEVEL + 1})
    assert answer.status_code == 400 and "a seat costs 10,000" in answer.content.decode()
    assert not Table.objects.exclude(private_code="").exists()
