"""Worked examples of the rows and columns that an event writes. The audit compares the rows with the same function."""

from dataclasses import replace
from typing import Any

import pytest

from rules.game import events
from rules.game.results import Outcome, Row
from tables.models import Deal, DealSeat, Match, Seating, Table
from tables.play.records import NOW, RECORDED, RowContext, RowKey, rows
from wallet.base.queries import update_each

#: Two players and a computer at table 7, in their seatings 11 to 13; deal 6 of match 5 is being played.
SEATINGS = {0: Seating(pk=11, name="Asha"), 1: Seating(pk=12, name="Ravi"), 2: Seating(pk=13, name="Bot")}
AT = RowContext(
    table=7,
    is_practice=False,
    per_point=True,
    seatings=SEATINGS,
    present={0, 1, 2},
    deal=6,
    is_deal_open=True,
    match=5,
    is_match_open=True,
)
PRACTICE_OF_ONE = replace(AT, is_practice=True, seatings={0: SEATINGS[0]}, present={0})
BEFORE_ANY_DEAL = replace(AT, deal=None, is_deal_open=False, match=None, is_match_open=False)

TABLE, MATCH, DEAL = RowKey(Table, 7), RowKey(Match, 5), RowKey(Deal, 6)
ASHA, RAVI, BOT = (RowKey(Seating, pk) for pk in (11, 12, 13))
CLOSED = {TABLE: {"status": "closed", "closed_at": NOW}}
ALL_GONE = {seating: {"left_at": NOW} for seating in (ASHA, RAVI, BOT)}
SETTLED = {MATCH: {"status": "settled", "ended_at": NOW}}


def line(seat: int, outcome: Outcome, points: int, amount: int) -> Row:
    return Row(seat=seat, outcome=outcome, groups=(), kinds=(), loose=(), points=points, amount=amount, total=None)


def row_view(seat: int, name: str, outcome: str, points: int, amount: int) -> dict[str, Any]:
    scored = {"seat": seat, "outcome": outcome, "points": points, "amount": amount, "total": None}
    return {**scored, "groups": [], "kinds": [], "loose": [], "name": name}


DEALT = events.CardsDealt(deal_id="6", number=1, order=(2, 0), packs=1, clients=("aa", ""), hands=((), ()), closed=())
ENDED = events.DealEnded(
    deal_id="6", winner=0, finish_card=None, rows=(line(0, Outcome.WON, 0, 36), line(2, Outcome.LOST, 40, -40))
)
SCORED: dict[RowKey, dict[str, Any]] = {
    DEAL: {
        "status": "over",
        "ended_at": NOW,
        "result": [row_view(0, "Asha", "won", 0, 36), row_view(2, "Bot", "lost", 40, -40)],
    },
    RowKey(DealSeat, 6, 0): {"outcome": "won", "points": 0, "amount": 36, "total": None},
    RowKey(DealSeat, 6, 2): {"outcome": "lost", "points": 40, "amount": -40, "total": None},
}
CANCELLED = events.MatchCancelled(reason="Stopped" * 40, refunds=())
STOPPED = {"status": "cancelled", "ended_at": NOW, "reason": ("Stopped" * 40)[:200]}

EXAMPLES: dict[str, tuple[events.Event, RowContext, dict[RowKey, dict[str, Any]]]] = {
    "who is dealt a hand has a row, who sits out has none": (
        DEALT,
        AT,
        {
            DEAL: {"status": "playing", "started_at": NOW, "client_seeds": ["aa", ""], "order": [2, 0]},
            RowKey(DealSeat, 6, 2): {"seating_id": 13},
            RowKey(DealSeat, 6, 0): {"seating_id": 11},
        },
    ),
    "a deal for points settles its match": (ENDED, AT, {**SCORED, **SETTLED}),
    "a deal of a pool leaves its match open": (ENDED, replace(AT, per_point=False), SCORED),
    "a void deal leaves its match open": (
        events.DealVoided(deal_id="6"), AT, {DEAL: {"status": "void", "ended_at": NOW}}
    ),
    "after a match everybody may sit elsewhere": (
        events.MatchEnded(winners=(0,)), AT, {**SETTLED, **ALL_GONE, **CLOSED}
    ),
    "who left before the end left then": (
        events.MatchEnded(winners=(0,)),
        replace(AT, present={0}),
        {**SETTLED, ASHA: {"left_at": NOW}, **CLOSED},
    ),
    "a cancelled match cancels the deal under way, and has its reason cut": (
        CANCELLED,
        AT,
        {DEAL: {"status": "cancelled", "ended_at": NOW}, MATCH: STOPPED, **ALL_GONE, **CLOSED},
    ),
    "a match cancelled between two deals leaves the last one as it ended": (
        CANCELLED, replace(AT, is_deal_open=False), {MATCH: STOPPED, **ALL_GONE, **CLOSED}
    ),
    "a table stopped after a settled match leaves both as they ended": (
        CANCELLED, replace(AT, is_deal_open=False, is_match_open=False), {**ALL_GONE, **CLOSED}
    ),
    "a table stopped before its first deal is closed": (CANCELLED, BEFORE_ANY_DEAL, {**ALL_GONE, **CLOSED}),
    "who leaves in a deal keeps the seat until it is over": (
        events.PlayerLeft(seat=1, points=40, returned=0), AT, {RAVI: {"left_at": NOW}}
    ),
    "a seat is left and freed at once": (
        events.SeatLeft(seat=1, returned=0), AT, {RAVI: {"freed_at": NOW, "left_at": NOW}}
    ),
    "who left before is only freed": (
        events.SeatLeft(seat=1, returned=0), replace(AT, present={0}), {RAVI: {"freed_at": NOW}}
    ),
    "the last to go closes a practice table": (
        events.SeatLeft(seat=0, returned=0), PRACTICE_OF_ONE, {ASHA: {"freed_at": NOW, "left_at": NOW}, **CLOSED}
    ),
    "an empty table of a stake waits for others": (
        events.SeatLeft(seat=0, returned=0),
        replace(PRACTICE_OF_ONE, is_practice=False),
        {ASHA: {"freed_at": NOW, "left_at": NOW}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_event_writes_the_rows_of_the_example(example: str) -> None:
    event, at, changes = EXAMPLES[example]
    assert rows(event, at) == changes


def test_every_type_that_writes_rows_has_its_example() -> None:
    assert {type(event) for event, _, _ in EXAMPLES.values()} == RECORDED


@pytest.mark.django_db
@pytest.mark.databases
def test_a_row_that_is_to_be_written_and_is_not_there_is_a_fault() -> None:
    for row, by in ((Match(pk=5, status="settled"), ("id",)), (DealSeat(deal_id=6, seat=2), ("deal_id", "seat"))):
        with pytest.raises(RuntimeError, match="0 rows of 1"):
            update_each([row], [column for column in ("status", "outcome") if hasattr(row, column)], by=by)
