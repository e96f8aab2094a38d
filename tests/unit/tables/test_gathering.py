"""Moves in one batch: answers of doubtful requests are read once for all, and no move suffers from another."""

from collections.abc import Collection
from typing import Any

import pytest

from tables.play import protocol
from tables.play.fast import gathering
from tables.play.fast.moves import Ask

ACK = {"type": "ack", "version": 1}


def ask(table: int, doubted: str | None = None) -> Ask:
    return Ask(table, table, f"c{table}", protocol.read_frame({"type": "sort"}), doubted)


def test_doubtful_requests_are_looked_up_at_once_and_answered_ones_make_no_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lookups: list[set[str]] = []
    moves_made: list[int] = []

    def vouch(doubted: Collection[Any]) -> set[str]:
        lookups.append(set(doubted))
        return {"good", "of somebody else"}

    def play_together(asks: list[Ask]) -> list[dict[str, Any] | None]:
        moves_made.extend(each.table_id for each in asks)
        return [None if each.table_id == 4 else ACK for each in asks]

    monkeypatch.setattr(gathering, "play_together", play_together)
    answers = gathering._answers([ask(1), ask(2, "void"), ask(3, "good"), ask(4)], vouch)
    assert (lookups, moves_made, answers) == ([{"void", "good"}], [1, 3, 4], [ACK, None, ACK, None])


def test_without_doubts_nothing_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "play_together", lambda asks: [ACK] * len(asks))
    lookups: list[Any] = []
    assert gathering._answers([ask(1), ask(2)], lambda doubted: lookups.append(doubted) or ()) == [ACK, ACK]
    assert lookups == []


def test_where_nobody_can_be_asked_whoever_is_doubted_makes_no_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "play_together", lambda asks: [ACK] * len(asks))
    assert gathering._answers([ask(1, "anybody")], gathering.Gathering().vouch) == [None]
