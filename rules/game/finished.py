"""A finished deal looked back at, from its events alone: its steps, the reasons for its points, a review of each turn.

Only for deals that have ended, since every hand is open here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from rules import payouts
from rules.books import RuleBook
from rules.cards import Card
from rules.game import events as e
from rules.game.codec import dump_event
from rules.game.events import By, Event
from rules.game.moves import Pile
from rules.game.state import DealState, Hand, Standing
from rules.game.transitions import follow_deal
from rules.game.views.sentences import PASSING, sentence
from rules.game.views.why import Explanation, explain_row, out_sentences
from rules.melds import Kind
from rules.solver.search import best
from rules.text import join

#: The number of cards of the open pile that are shown, the top one last.
OPEN_SHOWN = 3


class HandStep(TypedDict):
    """A hand as its player had arranged it; `points` once they are fixed."""

    groups: list[list[Card]]
    loose: list[Card]
    standing: Standing
    points: int | None


class ReplayStep(TypedDict):
    """How a deal lay after one event that is worth a sentence; `event` is its place among all events of the deal.

    `seat` is who did it, `card` the card that moved, `pile` where it was drawn, `turn` whose turn it is. `closed` and
    `open_count` are cards in the piles, `open` the top ones; `finish` lies in the finish slot.
    """

    event: int
    type: str
    text: str
    seat: int | None
    card: Card | None
    pile: Pile | None
    turn: int | None
    closed: int
    open: list[Card]
    open_count: int
    cut: Card | None
    wild_rank: int
    finish: Card | None
    hands: dict[str, HandStep]


def deal_steps(book: RuleBook, happened: Iterable[Event], names: Mapping[int, str]) -> list[ReplayStep]:
    """Return the steps of the deal; `names` are the players by seat."""
    steps = []
    for place, (event, deal) in enumerate(follow_deal(book, happened)):
        fields = dump_event(event)
        text = None if event.name in PASSING else sentence(fields, names, wild=0 if deal is None else deal.wild)
        if text is not None:
            steps.append(_step(place, fields, text, deal))
    return steps


def changes_of(steps: Iterable[ReplayStep]) -> list[dict[str, Any]]:
    """Return for the page the changes of each step since the one before, hand by hand."""
    shorter: list[dict[str, Any]] = []
    before: Mapping[str, Any] = {}
    for step in steps:
        had = before.get("hands", {})
        hands = {seat: hand for seat, hand in step["hands"].items() if had.get(seat) != hand}
        changed = {key: value for key, value in step.items() if key not in before or before[key] != value}
        shorter.append({**changed, "hands": hands})
        before = step
    return shorter


def _step(place: int, fields: Mapping[str, Any], text: str, deal: DealState | None) -> ReplayStep:
    pile = [entry.card for entry in deal.open_pile] if deal is not None else []
    finished = deal.finished if deal is not None else None
    hands = enumerate(deal.hands) if deal is not None else ()
    return {
        "event": place,
        "type": fields["type"],
        "text": text,
        "seat": fields.get("seat"),
        "card": fields.get("card"),
        "pile": fields.get("pile"),
        "turn": deal.turn.seat if deal is not None and deal.turn is not None else None,
        "closed": len(deal.closed) if deal is not None else 0,
        "open": pile[-OPEN_SHOWN:],
        "open_count": len(pile),
        "cut": deal.cut if deal is not None else None,
        "wild_rank": deal.wild if deal is not None else 0,
        "finish": finished.card if finished is not None else None,
        "hands": {str(seat): _hand(hand) for seat, hand in hands if hand is not None},
    }


def _hand(hand: Hand) -> HandStep:
    return {
        "groups": [list(group) for group in hand.groups],
        "loose": list(hand.loose),
        "standing": hand.standing,
        "points": hand.points,
    }


def explain_deal(book: RuleBook, happened: Iterable[Event], *, players: int) -> dict[int, Explanation]:
    """Return by seat the reason for the points in each row of the result, as in the view when the deal ended.

    `players` is the number who started the match. Empty for a deal that was not scored.
    """
    explanations: dict[int, Explanation] = {}
    left, ended, offered, out = set[int](), None, set[int](), set[int]()
    for event, deal in follow_deal(book, happened):
        match event:
            case e.PlayerLeft() if ended is None:
                left.add(event.seat)
            case e.DealEnded() if deal is not None:
                ended = event
                explanations = {row.seat: explain_row(book, deal, row, gone=row.seat in left) for row in event.rows}
            case e.PlayerEliminated():
                out.add(event.seat)
            case e.RejoinOpened():
                offered.update(event.seats)
    if ended is None or book.pool_limit is None or book.first_drop is None:
        return explanations
    totals = {row.seat: row.total or 0 for row in ended.rows}
    still_in = [total for seat, total in totals.items() if seat not in out | left]
    for seat in out - offered:
        right = payouts.rejoin(
            limit=book.pool_limit,
            drop=book.first_drop,
            started=players,
            scores=[*still_in, totals[seat]],
            player=len(still_in),
        )
        if not right.allowed:
            explanation = explanations[seat]
            explanations[seat] = Explanation(
                join([explanation.text, out_sentences(totals[seat], right.reason)]), explanation.counted
            )
    return explanations


class ArrangementView(TypedDict):
    """The best arrangement of a hand, its points, and whether it is a valid show. With 14 cards `discard` is the best
    one to part with."""

    groups: list[list[Card]]
    kinds: list[Kind]
    loose: list[Card]
    discard: Card | None
    points: int
    valid: bool


class TurnReview(TypedDict):
    """One turn of a player. `event` is where in the deal it began. `before` are the fewest points that the hand could
    count before the draw, `best` is its best arrangement then: after the draw, where there was one. `taken_by` is the
    seat that picked up what was `discarded`, None where nobody did. `drew_by` and `discarded_by` are the platform where
    time was up."""

    event: int
    before: int
    best: ArrangementView
    drew: Card | None
    discarded: Card | None
    taken_by: int | None
    drew_by: By | None
    discarded_by: By | None


class DealReview(TypedDict):
    """A finished deal for one player. `first_show` is the place in `turns` of the first with a show in hand, None where
    there was none; `best` is the best arrangement of the hand as it was at the end."""

    seat: int
    turns: list[TurnReview]
    first_show: int | None
    best: ArrangementView | None


def review_deal(book: RuleBook, happened: Iterable[Event], seat: int) -> DealReview:
    """Return a review of each turn of the player in `seat`; takes some milliseconds."""
    turns: list[TurnReview] = []
    #: The player's discards that lie in the open pile, by card, each with its turn.
    lying: dict[Card, TurnReview] = {}
    last: DealState | None = None
    for place, (event, deal) in enumerate(follow_deal(book, happened)):
        if deal is None:
            continue
        last = deal
        match event:
            case e.TurnBegan() if event.seat == seat:
                turns.append(_turn_began(book, deal, seat, place))
            case e.CardDrawn():
                let_go = lying.pop(event.card, None)
                if event.seat == seat:
                    turns[-1] |= {"best": _best(book, deal, seat), "drew": event.card, "drew_by": event.by}
                elif let_go is not None:
                    let_go["taken_by"] = event.seat
            case e.CardDiscarded() if event.seat == seat:
                turns[-1] |= {"discarded": event.card, "discarded_by": event.by}
                lying[event.card] = turns[-1]
            case e.ClosedDeckReshuffled():
                for card in event.cards:
                    lying.pop(card, None)
            case _:
                pass
    shows = (number for number, turn in enumerate(turns) if turn["best"]["valid"] and _may_show(book, turn, number))
    return {
        "seat": seat,
        "turns": turns,
        "first_show": next(shows, None),
        "best": None if last is None or last.hands[seat] is None else _best(book, last, seat),
    }


def _turn_began(book: RuleBook, deal: DealState, seat: int, place: int) -> TurnReview:
    arrangement = _best(book, deal, seat)
    return {
        "event": place,
        "before": arrangement["points"],
        "best": arrangement,
        "drew": None,
        "discarded": None,
        "taken_by": None,
        "drew_by": None,
        "discarded_by": None,
    }


def _may_show(book: RuleBook, turn: TurnReview, number: int) -> bool:
    """Return whether the turn allows a show: after the draw, in some books before the first one."""
    return turn["drew"] is not None or (book.show_before_draw and number == 0)


def _best(book: RuleBook, deal: DealState, seat: int) -> ArrangementView:
    arrangement = best(book, deal.wild, deal.hand(seat).cards)
    return {
        "groups": [list(group) for group in arrangement.groups],
        "kinds": list(arrangement.kinds),
        "loose": list(arrangement.loose),
        "discard": arrangement.discard,
        "points": arrangement.points,
        "valid": arrangement.valid,
    }
