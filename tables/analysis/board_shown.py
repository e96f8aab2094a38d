"""A position on the board as its page shows it: piles, hands, what may be done, and what has happened so far."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from rules.analysis.board import acting_seat
from rules.cards import Card, face
from rules.game import Phase, Standing, TableState, legal_moves, view_for
from rules.game.codec import dump_event
from rules.game.views import redact
from rules.game.views.sentences import PASSING, sentence
from rules.solver.search import best
from tables.analysis.board import Position
from tables.language import translated
from wallet.language import gettext as _, gettext_lazy

_STANDINGS: Final = {
    Standing.DROPPED: gettext_lazy("Dropped"),
    Standing.WRONG: gettext_lazy("Wrong show"),
    Standing.LEFT_SHOW: gettext_lazy("Wrong show"),
    Standing.LEFT: gettext_lazy("Left"),
    Standing.SUBMITTED: gettext_lazy("Submitted"),
}
#: Cards of the open pile that are shown, the top one last.
_OPEN_SHOWN: Final = 3


def shown_position(position: Position, seat: int, *, hides: bool) -> dict[str, Any]:
    """Return the template context; with `hides` the other hands lie face down until the deal is over."""
    state, acts = position.state, position.acts
    moves = _moves(state, seat) if acts == seat else []
    deal = state.current
    pile = [face(entry.card) for entry in deal.open_pile]
    names = {each: name or "-" for each, name in enumerate(position.notation.players)}
    closed_eyes = hides and acts is not None
    return {
        "at": position.at,
        "last": len(position.notation.moves),
        "book": state.book,
        "seat": seat,
        "hides": hides,
        "wild": deal.wild,
        "cut": face(deal.cut) if deal.cut else None,
        "closed": len(deal.closed),
        "open": pile[-_OPEN_SHOWN:] if state.book.open_pile else [],
        "open_count": len(pile),
        "finish": face(deal.finished.card) if deal.finished and deal.finished.card and not closed_eyes else None,
        "hands": [
            _hand(state, each, names[each], acts, open_=each == seat or not closed_eyes) for each in sorted(deal.order)
        ],
        "moves": moves,
        "discards": any("is_discard" in move for move in moves),
        "waits": acts is not None and acts != seat,
        "over": acts is None,
        "acts": None if acts is None else names[acts],
        "log": _log(position, names, seat if hides and _acts_at_end(position) else None),
    }


def _acts_at_end(position: Position) -> bool:
    return acting_seat(position.steps[-1][1].state) is not None


def _hand(state: TableState, seat: int, name: str, acts: int | None, *, open_: bool) -> dict[str, Any]:
    hand = state.current.hand(seat)
    return {
        "seat": seat,
        "name": name,
        "turn": acts == seat,
        "standing": _STANDINGS.get(hand.standing, ""),
        "points": hand.points,
        "cards": len(hand.cards),
        "groups": _groups(state, hand.cards) if open_ else [],
        "open": open_,
    }


def _groups(state: TableState, cards: Sequence[Card]) -> list[list[str]]:
    """Return the faces of a hand as they lie best, loose ones last."""
    arranged = best(state.book, state.current.wild, cards)
    loose = [*arranged.loose, *([arranged.discard] if arranged.discard else [])]
    laid = [*arranged.groups, loose] if loose else [*arranged.groups]
    return [[face(card) for card in group] for group in laid]


def _moves(state: TableState, seat: int) -> list[dict[str, Any]]:
    """Return what the player may do now: for a button each, the words, the card and what is sent."""
    if state.phase is not Phase.PLAYING:
        return []
    names, deal, hand = legal_moves(state, seat), state.current, state.current.hand(seat)
    moves: list[dict[str, Any]] = []
    if "draw" in names:
        moves.append({"says": _("Draw from the closed deck"), "do": "draw closed"})
        top = deal.open_top
        me = view_for(state, seat, 0)["me"]
        if top is not None and me is not None and me["pickable_open"]:
            moves.append({"says": _("Pick"), "face": face(top.card), "do": "draw open"})
    if "drop" in names:
        moves.append({"says": _("Drop"), "do": "drop"})
    if "finish" in names:
        arranged = best(state.book, deal.wild, hand.cards)
        if arranged.valid:
            card = arranged.discard
            moves.append({"says": _("Show"), "face": card and face(card), "do": f"finish {card or ''}".strip()})
    if "discard" in names:
        by_face = {face(card): card for card in hand.cards}
        for shown_face, card in sorted(by_face.items(), key=lambda each: (each[0][-1], each[0])):
            moves.append({"says": _("Discard"), "face": shown_face, "do": f"discard {card}", "is_discard": True})
    return moves


def _log(position: Position, names: dict[int, str], reader: int | None) -> list[dict[str, Any]]:
    """Return what has happened, each with the number of moves made by then, as `reader` saw it (None: everything)."""
    told = []
    for made, step in position.steps:
        if step.event.name in PASSING or step.state.deal is None:
            continue
        fields = dump_event(step.event) if reader is None else redact(step.event, reader)
        text = None if fields is None else sentence(fields, names, wild=step.state.deal.wild)
        if text is not None:
            told.append({"text": translated(text), "at": made, "now": made == position.at})
    for one, following in pairwise(told):
        one["now"] = one["now"] and not following["now"]
    return told
