"""Golden games: whole games as text, moves and everything that followed from them, compared line by line.

A line that begins with `>` is played; the lines under it are the events as the store keeps them. A change of the
engine that changes a game shows up as a diff to be read. `python -m tests.rules.game.test_golden` writes them anew,
with the computer players making the moves.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from rules.game import events as e
from rules.game.codec import dump_event
from rules.game.engine import legal_moves
from rules.game.state import Phase
from tables import bots
from tests.rules.game.play import Table, play, seated

FOLDER = Path(__file__).parent / "golden"
GAMES = {
    "standard-points": 3,
    "standard-blind": 2,
    "standard-pool-101": 3,
    "standard-deals-3": 2,
    "lives-drop-points": 3,
    "club-points": 5,
}


@pytest.mark.parametrize("book", GAMES)
def test_the_game_goes_as_it_went(book: str) -> None:
    golden = (FOLDER / f"{book}.txt").read_text().splitlines()
    moves = [line[2:] for line in golden if line.startswith("> ")]
    assert replayed(book, moves) == golden


def replayed(book: str, moves: list[str]) -> list[str]:
    """The game that these moves make, as lines."""
    table = seated(book, GAMES[book])
    lines = [f"# {book}, {GAMES[book]} players", *_told(table, 0)]
    for move in moves:
        done = len(table.log)
        play(table, move)
        lines += [f"> {move}", *_told(table, done)]
    return lines


def _told(table: Table, since: int) -> list[str]:
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
    """The moves of computer players who let some of their turns pass."""
    table, moves, rng = seated(book, GAMES[book]), [], Random(book)
    while not _done(table):
        move = None if rng.random() < 0.04 else _chosen(table)
        moves.append(
            move or f"timeout {' '.join(str(seat) for seat in range(GAMES[book]) if rng.random() < 0.5)}".strip()
        )
        play(table, moves[-1])
    return replayed(book, moves)


def _done(table: Table) -> bool:
    """Over; in points and blind the golden game ends with the result of its first deal."""
    return table.state.phase is Phase.OVER or (table.state.per_point and table.state.phase is Phase.RESULT)


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
    return {True: "yes", False: "no"}.get(word, word) if isinstance(word, bool) else str(word)


if __name__ == "__main__":
    for each in GAMES:
        (FOLDER / f"{each}.txt").write_text("\n".join(_written_anew(each)) + "\n")
