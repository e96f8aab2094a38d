"""Worked examples of the postings for an event, and that the audit expects exactly these."""

from dataclasses import replace
from typing import Any

import pytest

from rules.game import events
from tables.audit.expected_postings import LoggedTable, expected
from tables.models import Deal, Seating
from tables.play.settlement import MoneyIds, PostingOrder, postings
from tests.support.steering import ask, to_move
from tests.support.world import isolated_world
from wallet.base.places import PostingPlace
from wallet.ledger.selectors import Entry, posted
from wallet.play_money import services as play_money

PLACE = PostingPlace(table=7, title="Pool 101", book="standard-pool-101", stake=3)
IN_MATCH = replace(PLACE, match=5)
#: Two players with the ids 41 and 42, and a computer; in their seatings of those numbers.
SEATINGS = {0: Seating(pk=11, user_id=41), 1: Seating(pk=12, user_id=42), 2: Seating(pk=13)}
IDS = MoneyIds(place=PLACE, currency="FUN", seatings=SEATINGS, version=9, match=5, rejoins={0: 1, 1: 0, 2: 0})
LOGGED = LoggedTable(holders=SEATINGS, version=9, match=5, rejoins=lambda seat: IDS.rejoins[seat])


def of_match(**more: Any) -> dict[str, Any]:
    return {"match": 5, "currency": "FUN", "place": IN_MATCH, **more}


EXAMPLES: dict[str, tuple[events.Event, PostingOrder, list[Entry]]] = {
    "two losers pay 400 and 80, the winner a fee of 48": (
        events.DealSettled(deal_id="6", winner=1, losses=((0, 400), (2, 80)), fee=48),
        PostingOrder(
            play_money.settle_deal,
            {
                "key": "deal:6:settle", "winner": 12, "losses": {11: 400, 13: 80}, "fee": 48, "currency": "FUN",
                "place": replace(PLACE, match=5, deal=6),
            },
        ),
        [
            Entry(("stack", "seating:11"), ("stack", "seating:12"), 400),
            Entry(("stack", "seating:13"), ("stack", "seating:12"), 80),
            Entry(("stack", "seating:12"), ("fees", "house"), 48),
        ],
    ),
    "who loses nothing pays nothing": (
        events.DealSettled(deal_id="6", winner=1, losses=((0, 0), (2, 80)), fee=0),
        PostingOrder(
            play_money.settle_deal,
            {
                "key": "deal:6:settle", "winner": 12, "losses": {13: 80}, "fee": 0, "currency": "FUN",
                "place": replace(PLACE, match=5, deal=6),
            },
        ),
        [Entry(("stack", "seating:13"), ("stack", "seating:12"), 80)],
    ),
    "a prize is shared by two, less the fee": (
        events.PrizeAwarded(shares=((0, 180), (1, 90)), fee=30),
        PostingOrder(play_money.award_prize, of_match(shares={11: 180, 12: 90}, fee=30)),
        [
            Entry(("pot", "match:5"), ("player", "user:41"), 180),
            Entry(("pot", "match:5"), ("player", "user:42"), 90),
            Entry(("pot", "match:5"), ("fees", "house"), 30),
        ],
    ),
    "a cancelled match gives entries back, to a computer as well": (
        events.MatchCancelled(reason="Stopped", refunds=((0, 200), (2, 100))),
        PostingOrder(play_money.refund_match, of_match(refunds={11: 200, 13: 100})),
        [
            Entry(("pot", "match:5"), ("player", "user:41"), 200),
            Entry(("pot", "match:5"), ("practice", "house"), 100),
        ],
    ),
    "who leaves takes the stack along": (
        events.SeatLeft(seat=0, returned=760),
        PostingOrder(
            play_money.cash_out, {"seating": 11, "amount": 760, "key": "seating:11:seat_left", "place": PLACE}
        ),
        [Entry(("stack", "seating:11"), ("player", "user:41"), 760)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_event_becomes_the_posting_of_the_example(example: str) -> None:
    event, order, _ = EXAMPLES[example]
    assert postings(event, IDS) == [order]


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_audit_expects_the_same_in_accounts_and_amounts(example: str) -> None:
    event, order, entries = EXAMPLES[example]
    [due] = expected(event, LOGGED)
    assert list(due.entries) == entries
    assert (due.match, due.deal) == (order.arguments["place"].match, order.arguments["place"].deal)
    assert order.arguments.get("key", due.key) == due.key


def test_a_cancelled_match_without_a_pot_posts_nothing_even_before_its_first_deal() -> None:
    event = events.MatchCancelled(reason="Stopped", refunds=())
    assert postings(event, replace(IDS, match=None)) == []
    assert list(expected(event, replace(LOGGED, match=None))) == []


def test_a_match_without_entries_posts_nothing() -> None:
    event = events.MatchStarted(seats=(0, 1), entry=0, pot=0)
    assert postings(event, IDS) == []
    assert list(expected(event, LOGGED)) == []


@pytest.mark.django_db
def test_a_tables_posting_names_the_table_the_match_and_the_deal() -> None:
    with isolated_world() as world:
        table = world.table()
        clients = [world.sit(table) for _ in range(2)]
        world.deal(table)
        ask(to_move(clients), "drop")
    deal = Deal.objects.get(status=Deal.Status.OVER)
    seated = PostingPlace(table=table.pk, title="Test table", book="standard-points")
    bought, settled = (
        posted([key])[key].place for key in (f"seating:{table.seatings.all()[0].pk}:buy_in", f"deal:{deal.pk}:settle")
    )
    assert bought == seated
    assert settled == replace(seated, match=deal.match_id, deal=deal.pk)
