"""Players who are silent, who disconnect, and who come back: the match ends by its rules, in bounded time."""

from collections import Counter
from typing import Any

import pytest

from rules.books import BOOKS
from tables.models import LoggedEvent, Match, Seating, ServerHeartbeat, Table
from tables.play import presence, services as play
from tests.support import connections
from tests.support.steering import ask, pass_turn, to_move
from tests.support.tables import Client, read_event
from tests.support.world import World, isolated_world
from wallet.audit.audit import audit
from wallet.ledger.selectors import balances

pytestmark = pytest.mark.django_db

#: Auto plays in a row after which a player is dropped, and clocks of a turn; see RULES.md, Clocks.
_AUTO_PLAYS, _TURN_MS = 10, 60_000


def open_table_for(world: World, key: str, seats: int) -> list[Client]:
    book = BOOKS[key]
    per_point = book.per_point
    stake = {"point_value": 1, "minimum": book.full_count} if per_point else {"point_value": 0, "minimum": 0}
    table = world.table(book=key, seats=seats, entry=0 if per_point else 100, **stake)
    clients = [world.sit(table) for _ in range(seats)]
    world.deal(table)
    return clients


def run_out(world: World, table: int) -> None:
    """Let the running clock run out while the platform is up."""
    world.clock.now = max(world.clock.now, Table.objects.get(pk=table).deadline_ms or 0)
    ServerHeartbeat.objects.update(at_ms=world.clock.now)
    play.tick(table_id=table)


def keep_in_touch(clients: list[Client]) -> None:
    for client in clients:
        presence.record_sign_of_life(table_id=client.table, user_id=client.user.pk, connection=client.connection)


def vanish(clients: list[Client]) -> None:
    for client in clients:
        connections.disconnect(table_id=client.table, user_id=client.user.pk, connection=client.connection)


@pytest.mark.parametrize(("key", "turns"), [(key, 4 * (number % 2)) for number, key in enumerate(BOOKS)])
def test_when_everybody_vanishes_the_match_ends_and_every_chip_goes_where_the_rules_send_it(
    key: str, turns: int
) -> None:
    with isolated_world() as world:
        clients = open_table_for(world, key, min(3, BOOKS[key].max_seats))
        table = clients[0].table
        for _ in range(turns):
            pass_turn(to_move(clients))
        vanish(clients)
        began, clocks = world.clock.now, 0
        while Table.objects.get(pk=table).deadline_ms is not None:
            run_out(world, table)
            clocks += 1
            assert clocks < 500, "it goes on and on"
        assert not Seating.objects.filter(left_at=None).exists(), "somebody is still bound to the table"
        assert not Match.objects.exclude(status=Match.Status.SETTLED).filter(deals__status="playing").exists()
        counts = Counter(LoggedEvent.objects.filter(table=table).values_list("kind", flat=True))
        deals, players = counts["cards_dealt"], len(clients)
        assert counts["turn_began"] <= (deals - counts["deal_voided"] + 1) * players * (_AUTO_PLAYS + 2)
        assert world.clock.now - began <= counts["turn_began"] * _TURN_MS + deals * 60_000 + 60_000
        free = sum(balance["free"] for client in clients for balance in balances(client.user))
        assert free + _fees() == 10_000 * players
        assert audit().differences == []


def _fees() -> int:
    from wallet.models import Account, AccountKind

    return sum(Account.objects.filter(kind=AccountKind.FEES).values_list("balance", flat=True))


def _events_by_platform(table: int, seat: int) -> list[str]:
    """Return the names of the events that the platform made for the seat."""
    events: list[Any] = [read_event(row) for row in LoggedEvent.objects.filter(table=table).order_by("pk")]
    return [event.name for event in events if getattr(event, "seat", None) == seat
            and getattr(getattr(event, "by", None), "value", "") == "platform"]  # fmt: skip


def test_the_third_miss_and_no_other_drops_a_player_who_is_there_and_does_nothing() -> None:
    with isolated_world() as world:
        clients = open_table_for(world, "classic-points", 2)
        idle, other = to_move(clients), next(each for each in clients if each is not to_move(clients))
        seat = idle.me["seat"]
        for miss in range(1, 4):
            assert other.view()["phase"] == "playing", f"dropped after {miss - 1}"
            for _ in range(2):
                keep_in_touch(clients)
                run_out(world, idle.table)
            if miss < 3:
                assert other.view()["seats"][seat]["misses"] == miss
                pass_turn(other)
        assert other.view()["phase"] == "result"
        assert _events_by_platform(idle.table, seat).count("player_dropped") == 1


def test_ten_auto_plays_and_no_fewer_drop_a_player_who_is_away_and_all_are_marked_as_the_platforms() -> None:
    with isolated_world() as world:
        clients = open_table_for(world, "standard-points", 2)
        first = to_move(clients)
        other = next(each for each in clients if each is not first)
        seat = first.me["seat"]
        pass_turn(first)
        pass_turn(other)
        vanish([first])
        for number in range(1, _AUTO_PLAYS + 1):
            assert other.view()["phase"] == "playing", f"dropped after {number - 1}"
            for _ in range(2):
                keep_in_touch([other])
                run_out(world, first.table)
            if number < _AUTO_PLAYS:
                pass_turn(other)
        assert other.view()["phase"] == "result"
        marks = Counter(_events_by_platform(first.table, seat))
        assert (marks["card_drawn"], marks["card_discarded"], marks["player_dropped"]) == (10, 10, 1)


def test_a_returning_player_plays_on_and_their_absence_is_forgotten() -> None:
    with isolated_world() as world:
        clients = open_table_for(world, "standard-points", 2)
        first = to_move(clients)
        other = next(each for each in clients if each is not first)
        seat = first.me["seat"]
        pass_turn(first)
        pass_turn(other)
        for _ in range(2):
            vanish([first])
            for _ in range(9):
                for _ in range(2):
                    keep_in_touch([other])
                    run_out(world, first.table)
                pass_turn(other)
            connections.connect(table_id=first.table, user_id=first.user.pk, connection=first.connection)
            assert first.view()["seats"][seat]["connected"]
            pass_turn(first)
            ask(other, "draw", pile="closed")
            ask(other, "discard", card=other.me["drawn"])
        assert first.view()["phase"] == "playing"


def test_who_was_seated_out_may_sit_down_again_at_once() -> None:
    with isolated_world() as world:
        clients = open_table_for(world, "standard-points", 2)
        vanish(clients)
        while Table.objects.get(pk=clients[0].table).deadline_ms is not None:
            run_out(world, clients[0].table)
        again = world.sit(Table.objects.get(pk=clients[0].table), clients[0].user, amount=100)
        assert again.me["seat"] is not None
