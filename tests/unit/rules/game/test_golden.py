"""Golden games: whole games as text, moves and all that followed from them, compared line by line.

A line that begins with `>` is a move; the lines under it are the events as they are stored. A change of the engine that
changes a game shows up as a diff to review. `python -m tests.unit.rules.game.test_golden` rewrites the games: some are
made by the computer players, the others keep their moves, which show the peculiarities of a book. These say before a
deal how the shoe lies, hands in the order of turns, and what the seats toss:

    > shoe 2C / 3H 4H / / upcard 9C / cut 2S / closed 9D 10H
    > toss AS KD QH
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from rules import bots
from rules.books import BOOKS
from rules.cards import face, ordered_shoe
from rules.game import events as e, legal_moves
from rules.game.codec import dump_event
from rules.game.state import Phase
from tests.unit.rules.game.play import Table, play, seated

FOLDER = Path(__file__).parent / "golden"
BY_COMPUTERS = {
    "standard-points": 3,
    "standard-blind": 2,
    "standard-pool-61": 4,
    "standard-pool-101": 3,
    "standard-deals-2": 2,
    "standard-deals-3": 2,
    "standard-deals-6": 4,
    "lives-drop-points": 3,
    "club-points": 5,
}
BY_HAND = {"classic-points": 3, "lives-points": 3, "flat20-points": 3, "standard-pool-201": 4, "club-pool-201": 5}
GAMES = BY_COMPUTERS | BY_HAND
#: What each brings to a points game by hand, so that they can lose more than one deal.
DEEP_STACK = 5_000


def test_every_book_has_its_game() -> None:
    assert set(GAMES) == set(BOOKS)
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(BOOKS)


@pytest.mark.parametrize("book", GAMES)
def test_the_game_goes_as_it_went(book: str) -> None:
    golden = (FOLDER / f"{book}.txt").read_text().splitlines()
    assert replayed(book, _script(golden)) == golden


def _script(golden: list[str]) -> list[str]:
    """Return the written part of a golden game: moves and remarks, without the heading."""
    return [line for line in golden[1:] if line.startswith(("> ", "# "))]


def replayed(book: str, script: list[str]) -> list[str]:
    """Return the game that these moves make, as lines."""
    staked = book in BY_HAND and "pool" not in book
    table = seated(book, GAMES[book], stack=DEEP_STACK if staked else None)
    lines = [f"# {book}, {GAMES[book]} players", *_event_lines(table, 0)]
    with ExitStack() as stacked:
        for line in script:
            done = len(table.log)
            verb, _, words = line[2:].partition(" ")
            if verb == "shoe":
                stacked.enter_context(patch("rules.shuffling.shoe", _shoe(words)))
            elif verb == "toss":
                stacked.enter_context(patch("rules.shuffling.toss", return_value=words.split()))
            elif line.startswith("> "):
                play(table, line[2:])
            lines += [line, *_event_lines(table, done)]
    return lines


def _shoe(text: str) -> Any:
    """Replace `rules.shuffling.shoe` by one that deals these cards, then the rest in the order of the packs."""

    def shoe(deal_id: str, seed: bytes, clients: object, packs: int) -> tuple[str, ...]:
        left = list(ordered_shoe(packs))
        parts = [part.split() for part in text.split("/")]
        named = {part[0]: part[1:] for part in parts if part[:1] and part[0] in ("upcard", "cut", "closed")}
        cards = [[_take(left, card) for card in part] for part in parts if not part or part[0] not in named]
        after = [_take(left, card) for key in ("upcard", "cut", "closed") for card in named[key]]
        hands = [[*hand, *(left.pop() for _ in range(13 - len(hand)))] for hand in cards]
        return (*(hand[place] for place in range(13) for hand in hands), *after, *left)

    return shoe


def _take(left: list[str], text: str) -> str:
    card = next(card for card in left if face(card) == text)
    left.remove(card)
    return card


def _event_lines(table: Table, since: int) -> list[str]:
    return [f"    {_as_text(event)}" for events in table.log[since:] for event in events]


def _as_text(event: e.Event) -> str:
    fields = {name: value for name, value in dump_event(event).items() if name not in ("format", "type", "seed")}
    return " ".join([event.name, *(f"{name}={_plain(value)}" for name, value in fields.items())])


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return f"[{' '.join(_plain(item) for item in value)}]"
    if isinstance(value, dict):
        return f"({' '.join(f'{name}={_plain(item)}' for name, item in value.items())})"
    return "-" if value is None else str(value)


def _written_anew(book: str) -> list[str]:
    """Return the moves of computer players who let some of their turns pass."""
    table, moves, rng = seated(book, GAMES[book]), [], Random(book)
    while not _is_over(table):
        move = None if rng.random() < 0.04 else _chosen(table)
        moves.append(
            move or f"timeout {' '.join(str(seat) for seat in range(GAMES[book]) if rng.random() < 0.5)}".strip()
        )
        play(table, moves[-1])
    return replayed(book, [f"> {move}" for move in moves])


def _is_over(table: Table) -> bool:
    """Return whether the game is over; in points and blind it ends with the result of its first deal."""
    return table.state.phase is Phase.OVER or (table.state.book.per_point and table.state.phase is Phase.RESULT)


def _chosen(table: Table) -> str | None:
    for seat in range(len(table.state.seats)):
        frame = bots.choose(table.view(seat)) if legal_moves(table.state, seat) else None
        if frame is not None:
            return f"{seat}: {frame['type']} {_words(frame)}".strip()
    return None


def _words(frame: dict[str, Any]) -> str:
    if "groups" in frame:
        return " | ".join(" ".join(group) for group in frame["groups"])
    word = next((value for name, value in frame.items() if name != "type"), "")
    return ("yes" if word else "no") if isinstance(word, bool) else str(word)


if __name__ == "__main__":
    for each in GAMES:
        path = FOLDER / f"{each}.txt"
        game = _written_anew(each) if each in BY_COMPUTERS else replayed(each, _script(path.read_text().splitlines()))
        path.write_text("\n".join(game) + "\n")
