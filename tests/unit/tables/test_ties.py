"""Best of three, level after the third deal: play goes on, with the prize in the pot, until one leads."""

from collections.abc import Callable

import pytest

from rules.game.events.base import with_seat
from tables.log import reading
from tables.models import Match, Table
from tables.play import store
from tests.support.clock import Clock
from tests.support.steering import next_deal, one_loses_eighty
from tests.support.tables import Client, seated_at
from wallet.audit.audit import audit
from wallet.ledger.selectors import balances, pot

pytestmark = pytest.mark.django_db


def forgive(client: Client) -> None:
    """Reset the player's points of the match: full counts alone are never level after three deals."""
    row = Table.objects.get(pk=client.table)
    store.write_state(row, with_seat(reading.latest_state(row), client.me["seat"], total=0))
    row.save()


def totals(client: Client) -> list[int]:
    return [seat["total"] for seat in client.view()["seats"]]


def test_a_tie_is_played_on_and_the_prize_waits(clock: Clock, table: Callable[..., Table]) -> None:
    place = table(book="standard-deals-3", point_value=0, minimum=0, entry=100)
    clients = seated_at(place, "asha", "ravi")
    asha, ravi = clients
    for loser, winner in ((asha, ravi), (ravi, asha)):
        next_deal(clients, clock)
        one_loses_eighty(loser, winner, clients)
    forgive(asha)
    next_deal(clients, clock)
    one_loses_eighty(asha, ravi, clients)
    assert totals(asha) == [80, 80]
    match = Match.objects.get()
    assert (asha.view()["phase"], asha.view()["accounts"], pot(match.pk)) == ("result", None, 200)
    next_deal(clients, clock)
    assert asha.view()["deal"]["number"] == 4
    one_loses_eighty(asha, ravi, clients)
    assert (asha.view()["phase"], totals(asha)) == ("over", [160, 80])
    assert ravi.view()["accounts"] == [
        {"seat": 0, "paid": 100, "amount": 0, "why": None},
        {"seat": 1, "paid": 100, "amount": 180, "why": None},
    ]
    assert [balances(client.user)[0]["free"] for client in clients] == [9_900, 10_080]
    assert pot(match.pk) == 0 and not audit().differences
