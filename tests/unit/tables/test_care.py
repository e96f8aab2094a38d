"""Limits at the table: a running match is finished, no other begins; only time played counts."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from rules.game.state import Clocks
from tables import staff
from tables.models import Deal, Seating, Table
from tables.play import services as play
from tables.play.opening import open_table
from tests.support.clock import Clock, WholeClock, replaced_clock
from tests.support.players import signed_up
from tests.support.steering import all_drop_but, ask, next_deal
from tests.support.tables import Client, seated_at, terms
from wallet.audit_log.services import PLATFORM
from wallet.ledger.selectors import balances, stack
from wallet.responsible_gaming import (
    admission,
    selectors as responsible_gaming_selectors,
    services as responsible_gaming,
)
from wallet.responsible_gaming.admission import CareRefusal
from wallet.responsible_gaming.models import Limit
from wallet.responsible_gaming.playtime import seconds

pytestmark = pytest.mark.django_db

#: Three in the afternoon in the report zone.
NOON = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def calendar() -> Iterator[Any]:
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, calendar: Any) -> Clock:
    """Return the clock by which rows are dated and limits counted: the calendar's."""
    return replaced_clock(monkeypatch, WholeClock(calendar))


@pytest.fixture
def table() -> Callable[..., Table]:
    """Open tables at which nobody's time runs out."""

    def make(**changes: Any) -> Table:
        return open_table(terms=terms(clocks=Clocks(turn=86_400_000), **changes), title="Test table", currency="FUN")

    return make


def played(user: Any) -> int:
    now = datetime.now(UTC)
    return seconds(user.pk, now - timedelta(days=1), now)


def seated(user: Any) -> bool:
    return Seating.objects.filter(user=user, left_at=None).exists()


def test_time_counts_from_the_dealing_to_the_end_of_each_deal(
    duel: tuple[Client, Client], clock: Clock, calendar: Any
) -> None:
    first, other = duel
    assert played(first.user) == 0
    calendar.shift(timedelta(minutes=4))
    assert played(first.user) == 240
    ask(first, "drop")
    calendar.shift(timedelta(minutes=50))
    assert (played(first.user), played(other.user)) == (240, 240), "waiting for a deal is not playing"
    began = NOON + timedelta(seconds=10)
    assert seconds(first.user.pk, began + timedelta(minutes=3), began + timedelta(minutes=9)) == 60
    assert seconds(first.user.pk, began + timedelta(minutes=5), began + timedelta(minutes=9)) == 0


@pytest.mark.databases
def test_whose_time_is_over_is_found_by_as_few_queries_for_many_as_for_one(
    duel: tuple[Client, Client], calendar: Any, settings: Any, django_assert_num_queries: Any
) -> None:
    asha, bela = (client.user for client in duel)
    settings.DEFAULT_LIMITS = {"time": {"day": 5, "week": 30}}
    fresh, free, strict = (signed_up(name) for name in ("chitra", "dev", "esha"))
    responsible_gaming.set_limit(user=strict, kind="time", period="month", amount=0)
    Limit.objects.create(user=bela, kind="time", period="day", amount=None)
    calendar.shift(timedelta(minutes=6))
    people = [asha.pk, bela.pk, fresh.pk, free.pk, strict.pk]
    for ids in ([strict.pk], people):
        with django_assert_num_queries(5):
            out = admission.excluded(ids)
    assert out == {asha.pk, strict.pk} == set(admission.barred(people))
    calendar.shift(timedelta(minutes=25))
    assert admission.excluded(people) == {asha.pk, bela.pk, strict.pk}


def test_limits_of_a_player_count_over_all_tables_and_a_minute_at_two_of_them_is_one(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table], calendar: Any
) -> None:
    asha, bela = player("asha"), player("bela")
    responsible_gaming.set_limit(user=asha, kind="entries", period="day", currency="FUN", amount=2_000)
    places = [table().pk for _ in range(3)]
    for place in places[:2]:
        for user in (asha, bela):
            play.sit(table_id=place, user=user, amount=800)
    with pytest.raises(CareRefusal):
        play.sit(table_id=places[2], user=asha, amount=800)
    clock.wait(10)
    play.tick(table_id=places[0])
    calendar.shift(timedelta(seconds=4))
    play.tick(table_id=places[1])
    assert Deal.objects.filter(status=Deal.Status.PLAYING).count() == 2
    calendar.shift(timedelta(seconds=296))
    assert played(asha) == 300


def test_time_played_ends_with_leaving(clock: Clock, table: Callable[..., Table], calendar: Any) -> None:
    place = table(seats=3)
    clients = seated_at(place, "asha", "bela", "chand", amount=800)
    clock.wait(5)
    play.tick(table_id=place.pk)
    calendar.shift(timedelta(minutes=2))
    ask(clients[0], "leave")
    calendar.shift(timedelta(minutes=5))
    assert [played(client.user) for client in clients] == [120, 420, 420]


def test_pauses_between_the_deals_of_a_match_count(clock: Clock, table: Callable[..., Table], calendar: Any) -> None:
    place = table(book="standard-pool-101", point_value=0, minimum=0, entry=100)
    clients = seated_at(place, "asha", "bela")
    clock.wait(10)
    play.tick(table_id=place.pk)
    calendar.shift(timedelta(minutes=1))
    all_drop_but(clients[0], clients)
    calendar.shift(timedelta(seconds=15))
    next_deal(clients, clock)
    calendar.shift(timedelta(minutes=1))
    assert played(clients[0].user) == 135


def test_at_a_frozen_table_time_stands_still(duel: tuple[Client, Client], clock: Clock, calendar: Any) -> None:
    clock.wait(20)
    ask(duel[0], "draw", pile="closed")
    staff.freeze_table(table_id=duel[0].table, reason="Looked at", actor=PLATFORM)
    calendar.shift(timedelta(hours=9))
    assert played(duel[0].user) == 20


def test_when_the_time_is_over_the_deal_is_finished_and_no_other_begun(
    duel: tuple[Client, Client], clock: Clock, calendar: Any
) -> None:
    first, other = duel
    responsible_gaming.set_limit(user=first.user, kind="time", period="day", amount=10)
    calendar.shift(timedelta(minutes=11))
    ask(first, "draw", pile="closed")
    ask(first, "discard", card=first.me["drawn"])
    ask(other, "drop")
    refused = first.send("continue")
    assert (refused["type"], refused["code"]) == ("error", "time_limit_reached")
    assert "22 Nov 2026, 00:00 IST" in refused["message"]
    assert first.send("add_chips", amount=100)["code"] == "time_limit_reached"
    ask(other, "continue")
    clock.now = other.view()["clock"]["deadline"]
    play.tick(table_id=other.table)
    assert (seated(first.user), seated(other.user)) == (False, True)
    assert sum(balance["in_play"] for balance in balances(first.user)) == 0
    with pytest.raises(CareRefusal):
        play.sit(table_id=other.table, user=first.user, amount=800)
    calendar.move_to(datetime(2026, 11, 21, 18, 30, tzinfo=UTC))
    play.sit(table_id=other.table, user=first.user, amount=800)


def test_a_player_excluded_during_a_deal_plays_it_to_its_end(duel: tuple[Client, Client], clock: Clock) -> None:
    first, other = duel
    responsible_gaming.exclude(user=first.user, period="day")
    assert not play.leave_if_idle(user_id=first.user.pk)
    ask(first, "drop")
    assert first.send("continue")["code"] == "self_excluded"
    assert play.leave_if_idle(user_id=first.user.pk)
    assert (seated(first.user), seated(other.user)) == (False, True)
    assert not play.leave_if_idle(user_id=first.user.pk)


def test_a_player_excluded_while_waiting_is_not_dealt_in(
    clock: Clock,
    player: Callable[[str], Any],
    table: Callable[..., Table],
    sent: list[tuple[str, dict[str, Any]]],
    django_capture_on_commit_callbacks: Any,
) -> None:
    place, asha, bela = table(), player("asha"), player("bela")
    for user in (asha, bela):
        play.sit(table_id=place.pk, user=user, amount=800)
    responsible_gaming.exclude(user=asha, period="week", by=bela)
    clock.wait(10)
    with django_capture_on_commit_callbacks(execute=True):
        play.tick(table_id=place.pk)
    assert (seated(asha), seated(bela)) == (False, True)
    assert not Deal.objects.filter(status=Deal.Status.PLAYING).exists()
    assert sum(balance["free"] for balance in balances(asha)) == 10_000
    [notice] = [message for _group, message in sent if message["type"] == "user.seated_out"]
    assert "Our staff have excluded you" in notice["told"]["en"]
    assert "कर्मचारियों" in notice["told"]["hi"]


def test_a_match_with_a_pot_is_played_to_its_end_but_a_rejoin_is_a_new_entry(
    clock: Clock, table: Callable[..., Table]
) -> None:
    place = table(book="standard-pool-101", point_value=0, minimum=0, entry=100)
    clients = seated_at(place, "asha", "bela")
    clock.wait(10)
    play.tick(table_id=place.pk)
    responsible_gaming.exclude(user=clients[0].user, period="day")
    assert not play.leave_if_idle(user_id=clients[0].user.pk)
    all_drop_but(clients[0], clients)
    ask(clients[0], "continue")
    next_deal(clients, clock)
    assert seated(clients[0].user)


def test_without_a_wish_one_sits_down_within_ones_limit(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table]
) -> None:
    asha = player("asha")
    responsible_gaming.set_limit(user=asha, kind="entries", currency="FUN", period="day", amount=300)
    assert stack(play.sit(table_id=table().pk, user=asha).pk) == 300


def test_a_refused_buy_in_leaves_no_seat_and_no_event(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table]
) -> None:
    asha, place = player("asha"), table()
    responsible_gaming.set_limit(user=asha, kind="entries", currency="FUN", period="month", amount=79)
    with pytest.raises(CareRefusal) as refusal:
        play.sit(table_id=place.pk, user=asha)
    assert refusal.value.code == "limit_reached"
    assert not Seating.objects.exists()


def test_the_day_says_what_was_won_and_lost_and_when_a_reminder_is_due(
    duel: tuple[Client, Client], clock: Clock, calendar: Any
) -> None:
    first, other = duel
    responsible_gaming.remind_every(user=first.user, minutes=15)
    calendar.shift(timedelta(minutes=14))
    assert not responsible_gaming_selectors.reminder(first.user)["due"]
    ask(first, "drop")
    loss = {"currency": "FUN", "amount": -20, "text": "−20 chips"}
    assert responsible_gaming_selectors.today(first.user) == {"played_seconds": 840, "net": [loss]}
    assert responsible_gaming_selectors.today(other.user)["net"] == [
        {"currency": "FUN", "amount": 18, "text": "+18 chips"}
    ]
    ask(first, "continue")
    ask(other, "continue")
    next_deal([first, other], clock)
    calendar.shift(timedelta(minutes=1))
    assert responsible_gaming_selectors.reminder(first.user)["due"]
    responsible_gaming.acknowledge(user=first.user)
    assert not responsible_gaming_selectors.reminder(first.user)["due"]
    calendar.shift(timedelta(minutes=15))
    assert responsible_gaming_selectors.reminder(first.user)["due"]


@pytest.mark.parametrize("book", [{}, {"book": "standard-pool-101", "point_value": 0, "minimum": 0, "entry": 100}])
def test_no_match_begins_with_a_player_whose_account_is_locked(
    table: Callable[..., Table], clock: Clock, book: dict[str, Any]
) -> None:
    place = table(seats=3, **book)
    locked, *_ = seated_at(place, "asha", "ravi", "bela")
    type(locked.user).objects.filter(pk=locked.user.pk).update(is_active=False)
    for _ in range(2):
        place.refresh_from_db()
        clock.now = place.deadline_ms or 0
        play.tick(table_id=place.pk)
    place.refresh_from_db()
    assert (place.phase, seated(locked.user), Deal.objects.count()) == ("playing", False, 1)
    assert balances(locked.user)[0]["in_play"] == 0
