"""The board: any deal in notation, stepped through, set up anew and played on. Its text is the whole state.

Nothing is stored, and nothing here knows a table: what comes out follows from the text that came in.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from rules.analysis import move_of
from rules.analysis.board import acting_seat, cut_to, filled_up, play_on_from, with_open_cards
from rules.books import book
from rules.bots import Strength, choose
from rules.cards import Card, parse
from rules.errors import RulesError
from rules.game import TableState, follow_deal
from rules.game.moves import PlayerMove
from rules.notation import UNNAMED, Notation, Replayed, read, replay, write
from rules.notation.writing import noted
from tables.errors import TableError
from tables.history import selectors as history
from tables.log import reading
from tables.notation import deal_in_notation
from wallet.base import rate_limits
from wallet.base.errors import TooMany
from wallet.base.rate_limits import RateLimit, WorkLimit
from wallet.language import gettext as _

#: The most bytes and moves of a deal on the board.
MOST_BYTES, MOST_MOVES = 64 * 1024, 1_200
#: Requests of one account within 60 seconds, by page and API together.
LIMIT: Final = RateLimit("board", 120, 60)
#: They are worked out one at a time: together they would take no less time, and the moves of the tables much longer.
PLACES: Final = WorkLimit(at_once=1, waiting=20, patience=10)
#: Who answers on the board.
ANSWERS: Final = partial(choose, strength=Strength.SHARP)


@dataclass(frozen=True, slots=True)
class Position:
    """A deal on the board after its first `at` moves. `steps` are all of the deal, each with the moves made by then."""

    notation: Notation
    at: int
    state: TableState
    steps: list[tuple[int, Replayed]]

    @property
    def acts(self) -> int | None:
        """The seat whose move is awaited; None once the deal is over."""
        return acting_seat(self.state)


def count_request(account: int) -> None:
    """Count a request. Raises TooMany."""
    if not rate_limits.count_tries([(LIMIT, LIMIT.key(account))]):
        raise TooMany(LIMIT.seconds)


def position(text: str, at: int | None = None) -> Position:
    """Return the deal after `at` moves, all of them where it is None. TableError `too_large`, `bad_notation`."""
    notation = _read(text)
    moves = len(notation.moves)
    at = moves if at is None else max(0, min(at, moves))
    here = cut_to(notation, at)
    with PLACES.place():
        try:
            steps = list(_counted(notation))
            # What the platform did in one go has no state in between from which one could go on.
            reached = steps if here.moves == notation.moves[:at] else list(_counted(here))
        except RulesError as error:
            raise _refused(error) from error
    return Position(notation, at, [step.state for made, step in reached if made <= at][-1], steps)


def answered(text: str, at: int | None, seat: int, said: str) -> str:
    """Return the text after the player's move at that place and the answers to it.

    `said` is `draw closed`, `draw open`, `discard 7H1`, `finish 7H1`, `finish`, `drop`, or `wait`: others move first.
    TableError as `position`, `bad_move`, and with the code of the rules for a move that is not legal.
    """
    notation = _read(text)
    move = None if said == "wait" else _move(said, seat)
    with PLACES.place():
        try:
            here = notation if at is None else cut_to(notation, at)
            return write(play_on_from(here, move, seat, ANSWERS))
        except RulesError as error:
            raise _refused(error) from error


def opened(text: str) -> str:
    """Return the text of the deal at its beginning, with its cards in place of its seeds. TableError as `position`."""
    notation = _read(text)
    try:
        return write(with_open_cards(notation))
    except RulesError as error:
        raise _refused(error) from error


def set_up(key: str, hands: Sequence[str], cut: str, stock: str) -> str:
    """Return the text of a deal with these hands, cut joker and stock (upcard first where the book has one), each as
    cards with blanks between; what is missing is dealt by chance. TableError `bad_position`."""
    try:
        rules = book(key)
        packs = rules.packs_for(len(hands))
        cards = [[parse(card) for card in hand.upper().split()] for hand in hands]
        on_top, turned = [parse(card) for card in stock.upper().split()], [parse(card) for card in cut.upper().split()]
        return write(_laid_out(rules.key, cards, turned, on_top, packs))
    except RulesError as error:
        raise TableError("bad_position", error.message, status=400) from error


def _laid_out(
    key: str, hands: Sequence[Sequence[Card]], cut: Sequence[Card], stock: Sequence[Card], packs: int
) -> Notation:
    rules = book(key)
    upcards = list(stock[:1]) if rules.open_pile else []
    closed = list(stock[len(upcards) :])
    wanted = [*hands, cut, upcards]
    sizes = [13] * len(hands) + [1, int(rules.open_pile)]
    full, rest = filled_up(wanted, closed, packs, secrets.token_bytes(16), sizes)
    *dealt, (turned,), upcard = full
    text = [
        '[RDN "1"]',
        f'[Book "{rules.key}/{rules.version}"]',
        '[Deal "board"]',
        '[Date "2026-01-01"]',
        f'[Seats "{len(hands)}"]',
        *(f'[Player{seat} "{UNNAMED[seat]}"]' for seat in range(len(hands))),
        f'[Packs "{packs}"]',
        *(f'[Hand{seat} "{" ".join(cards)}"]' for seat, cards in enumerate(dealt)),
        f'[Stock "{" ".join((*upcard, turned, *rest))}"]',
        f'[Cut "{turned}"]',
        '[First "0"]',
        '[Result "-"]',
        "",
    ]
    notation = read("\n".join(text) + "\n")
    list(replay(notation))
    return notation


def deal_for_board(user: Any, deal_id: int, event: int | None) -> tuple[str, int, int]:
    """Return the user's own finished deal as text without names, the number of moves before that event, and their seat.

    TableError as `own_deal`, `no_longer_kept`, `never_dealt`.
    """
    deal = history.own_deal(user, deal_id)
    rules, text = book(deal.book, deal.book_version), write(deal_in_notation(deal, anonymous=True))
    happened = [entry.event() for entry in reading.of_deal(deal)]
    before = happened if event is None else happened[: max(0, event)]
    followed = follow_deal(rules, before)
    at = sum(state is not None and noted(each, state) is not None for each, state in followed)
    return text, at, deal.seats.get(user_id=user.pk).seat


def _read(text: str) -> Notation:
    """Read the text. TableError `too_large`, `bad_notation`."""
    check_size(text.encode(errors="replace"))
    try:
        notation = read(text)
    except RulesError as error:
        raise _refused(error) from error
    if len(notation.moves) > MOST_MOVES:
        raise TableError("too_large", _("The board takes {most} moves at most.", most=MOST_MOVES), status=400)
    return notation


def check_size(content: bytes) -> None:
    """Refuse what is too large for the board. TableError `too_large`."""
    if len(content) > MOST_BYTES:
        raise TableError("too_large", _("The board takes {most} kB at most.", most=MOST_BYTES // 1024), status=400)


def _counted(notation: Notation) -> Iterator[tuple[int, Replayed]]:
    """Yield each step with the number of moves made by then."""
    made = 0
    for step in replay(notation):
        if step.state.deal is not None and noted(step.event, step.state.deal) is not None:
            made += 1
        yield made, step


def _refused(error: RulesError) -> TableError:
    return TableError(error.code, error.message, status=400)


def _move(said: str, seat: int) -> PlayerMove:
    """Read a move. TableError `bad_move`."""
    words = said.split()
    frame: Mapping[str, Any] | None
    match words:
        case ["draw", ("closed" | "open") as pile]:
            frame = {"type": "draw", "pile": pile}
        case [("discard" | "finish") as kind, card]:
            frame = {"type": kind, "card": card}
        case [("finish" | "drop") as kind]:
            frame = {"type": kind}
        case _:
            frame = None
    move = move_of(None if frame is None else dict(frame), seat)
    if move is None:
        raise TableError("bad_move", _("This is no move."), status=400)
    return move
