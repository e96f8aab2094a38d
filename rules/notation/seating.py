"""The check that all lines of a file speak of the same players."""

from __future__ import annotations

from rules.notation.shape import CLIENTS, HANDS, PLAYERS, Notation, NotationError
from rules.text import message


def check_seats(notation: Notation) -> None:
    """Check that all headers speak of the same players, and as many packs as the book has for them."""
    dealt, rules = notation.dealt, notation.book
    last = "Result" if notation.result is not None else HANDS[dealt[0]] if notation.hands else PLAYERS[0]
    if dealt and dealt[-1] >= notation.seats:
        notation.refuse(last, message("There are only {seats} seats.", seats=notation.seats))
    if not rules.min_seats <= len(dealt) <= rules.max_seats:
        notation.refuse(last, message("This book is for {least} to {most} players.", least=rules.min_seats,
                               most=rules.max_seats))  # fmt: skip
    for name, seats in (
        ("First", [notation.first]),
        *((CLIENTS[seat], [seat]) for seat, _ in notation.clients),
        *((HANDS[seat], [seat]) for seat, _ in notation.hands),
    ):
        if not set(seats) <= set(dealt):
            notation.refuse(name, message("Seat {seat} was dealt no hand.", seat=seats[0]))
    if notation.packs != rules.packs_for(len(dealt)):
        notation.refuse("Packs", message("{players} players have {packs} packs here.", players=len(dealt),
                                  packs=rules.packs_for(len(dealt))))  # fmt: skip
    if notation.hands and [seat for seat, _ in notation.hands] != list(dealt):
        notation.refuse("Stock", message("A hand is missing before this line."))
    if notation.order is not None and (sorted(notation.order) != list(dealt) or notation.order[0] != notation.first):
        notation.refuse("Order", message("The order has each player once, the first one first."))
    for move in notation.moves:
        if move.seat not in dealt:
            raise NotationError(move.line, message("Seat {seat} was dealt no hand.", seat=move.seat))
