"""The cost of leaving, in chips: never less than staying, and exactly what the view says."""

from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import pytest

from rules.cards import face, ordered_shoe
from tables.history.figures import figures_of
from tables.models import DealSeat, Seating
from tables.play import services as play
from tests.support.clock import Clock
from tests.support.steering import ask, pass_turn, to_move
from tests.support.tables import Client, seated_at
from wallet.audit.audit import audit
from wallet.ledger.selectors import balances, stack

pytestmark = pytest.mark.django_db

GOOD = ["3H", "4H", "5H", "7C", "8C", "9C", "JS", "JH", "JD", "KS", "KH", "KD", "KC"]
SHOW = "3H 4H 5H", "7C 8C 9C", "JS JH JD", "KS KH KD KC"
#: One pure sequence; the rest counts 76.
PURE = ["AS", "2S", "3S", "4C", "6D", "8D", "10C", "QC", "AD", "5H", "7D", "KS", "6H"]


def dealt_so(*args: Any) -> tuple[str, ...]:
    """Replace the shoe: the first player holds GOOD, the second PURE; nines are wild."""
    left = list(ordered_shoe(2))

    def take(shown: str) -> str:
        card = next(card for card in left if face(card) == shown)
        left.remove(card)
        return card

    cards = [take(shown) for pair in zip(GOOD, PURE, strict=True) for shown in pair]
    return (*cards, take("2D"), take("9S"), take("7H"), take("8H"), take("10H"), *left)


@pytest.fixture
def pair(clock: Clock, table: Callable[..., Any]) -> Iterator[tuple[Client, Client]]:
    """Seat two players with 800 chips each at a point value of 5 in a running deal; the first is to move."""
    place = table(point_value=5, minimum=400)
    with patch("rules.shuffling.shoe", dealt_so):
        clients = seated_at(place, "asha", "ravi", amount=800)
        clock.wait(10)
        play.tick(table_id=place.pk)
        first = to_move(clients)
        yield first, next(client for client in clients if client is not first)


def free(client: Client) -> int:
    return sum(balance["free"] for balance in balances(client.user))


def leaves(client: Client, other: Client, points: int, outcome: str) -> None:
    """Let the player leave: they pay what their view said, the other gets it less a fee of ten percent; check the
    books."""
    me = client.me
    assert (me["leave_points"], me["leave_costs"]) == (points, 5 * points)
    ask(client, "leave")
    assert free(client) == 10_000 - 5 * points
    assert stack(Seating.objects.get(user=other.user).pk) == 800 + 5 * points - 5 * points // 10
    row = DealSeat.objects.get(seating__user=client.user)
    assert (row.outcome, row.points) == (outcome, points)
    assert {difference.check for difference in audit().differences} <= {"proof"}, "the shoe was laid by hand"


def test_drawing_first_makes_leaving_no_cheaper(pair: tuple[Client, Client]) -> None:
    first, second = pair
    ask(first, "draw", pile="closed")
    leaves(first, second, 80, "left")


def test_a_declarer_who_leaves_before_submitting_has_shown_wrongly(pair: tuple[Client, Client]) -> None:
    first, second = pair
    pass_turn(first)
    pass_turn(second)
    assert first.me["leave_points"] == 40
    ask(first, "draw", pile="closed")
    ask(first, "finish", card=first.me["drawn"])
    leaves(first, second, 80, "wrong")


def test_a_loser_who_leaves_after_a_valid_show_pays_for_the_hand(pair: tuple[Client, Client]) -> None:
    first, second = pair
    pass_turn(first)
    pass_turn(second)
    ask(first, "draw", pile="closed")
    ask(first, "finish", card=first.me["drawn"])
    ask(first, "submit", groups=[group.split() for group in SHOW])
    assert second.me["leave_points"] == 80, "nothing is arranged"
    ask(second, "arrange", groups=[["AS", "2S", "3S"]])
    leaves(second, first, 76, "left")
    winner = figures_of(first.user, currency="FUN", practice=False)
    assert (winner.total.won, winner.total.shows) == (1, 1), "a show is one, also where nobody has stayed to lose to it"


def test_who_is_left_with_a_hand_that_is_not_complete_has_won_without_a_show(pair: tuple[Client, Client]) -> None:
    first, second = pair
    pass_turn(first)
    leaves(second, first, 80, "left")
    winner = figures_of(first.user, currency="FUN", practice=False)
    assert (winner.total.won, winner.total.shows) == (1, 0)
