"""What a player could see at a decision, as plain data and back.

Only where every card that was let go lies open, and none of them has gone back into the closed deck: then all that is
hidden follows from what is seen, and the data stays short enough to be read by people.
"""

from collections.abc import Mapping
from typing import Any

from rules.analysis.seen import Known, SeenSeat
from rules.books import book
from rules.cards import ordered_shoe, wild_rank
from rules.game.state import Discarded, Standing


def can_be_written(seen: Known) -> bool:
    """Return whether `as_position` keeps all that the player knows."""
    return seen.book.open_pile and seen.reshuffles == 0


def as_position(seen: Known) -> dict[str, Any]:
    """Return the position as plain data; `seats` are all players in the order of turns, the first player first."""
    return {
        "book": seen.book.key,
        "version": seen.book.version,
        "cut": seen.cut,
        "turn": seen.turn,
        "seat": seen.seat,
        "hand": sorted(seen.hand),
        "drawn": seen.drawn,
        "closed": seen.closed,
        "discards": [{"seat": each.seat, "card": each.card, "picked_by": each.picked_by} for each in seen.discards],
        "seats": [
            {
                "seat": each.seat,
                "cards": each.cards,
                "standing": each.standing.value,
                "points": each.points,
                "draws": each.draws,
                "known": list(each.known),
            }
            for each in seen.seats
        ],
    }


def known_of(position: Mapping[str, Any]) -> Known:
    """Return the position of that data."""
    rules = book(position["book"], position["version"])
    packs = rules.packs_for(len(position["seats"]))
    discards = tuple(Discarded(**each) for each in position["discards"])
    placed = {*position["hand"], position["cut"], *(each.card for each in discards)}
    placed.update(card for each in position["seats"] for card in each["known"])
    return Known(
        book=rules,
        seat=position["seat"],
        turn=position["turn"],
        hand=tuple(position["hand"]),
        drawn=position["drawn"],
        cut=position["cut"],
        wild=wild_rank(position["cut"]),
        packs=packs,
        closed=position["closed"],
        discards=discards,
        seats=tuple(_seat_of(rules.first_total, each) for each in position["seats"]),
        reshuffles=0,
        hidden=tuple((card, 0) for card in ordered_shoe(packs) if card not in placed),
    )


def _seat_of(total: int, seat: Mapping[str, Any]) -> SeenSeat:
    known = tuple(seat["known"])
    return SeenSeat(
        seat=seat["seat"],
        cards=seat["cards"],
        standing=Standing(seat["standing"]),
        points=seat["points"],
        draws=seat["draws"],
        total=total,
        known=known,
        hidden=((0, seat["cards"] - len(known)),),
    )
