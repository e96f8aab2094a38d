"""Practice against computer players, by every rule book, from the seat to the computer's own turns."""

from typing import Any

import pytest

from lobby import services as lobby
from lobby.models import Player
from rules.books import BOOKS
from tables import presence, protocol, services, store
from tables.models import Table
from tables.store import read_state
from wallet.audit import audit

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", BOOKS)
def test_computer_players_play_by_every_book(
    asha: Player, key: str, sent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table of the largest size starts by itself and computer players draw and discard at it."""
    now = [1_800_000_000_000]
    monkeypatch.setattr(store, "now_ms", lambda: now[0])
    seating = lobby.practice(user=asha, book_key=key, players=BOOKS[key].max_seats)
    presence.connect(table_id=seating.table_id, user_id=asha.pk, connection="asha")
    for _ in range(60):
        row = Table.objects.get(pk=seating.table_id)
        state = read_state(row)
        thrown = [entry for entry in state.deal.discards if entry.seat is not None] if state.deal is not None else []
        if any(entry.seat != seating.seat for entry in thrown):
            break
        me = presence.current_frame(table_id=row.pk, user_id=asha.pk)
        if '"draw"' in me:
            send(row.pk, asha, {"type": "draw", "pile": "closed", "version": row.version})
            continue
        turn = state.deal.turn if state.deal is not None else None
        if turn is not None and turn.seat == seating.seat and turn.drawn is not None:
            send(row.pk, asha, {"type": "discard", "card": turn.drawn, "version": row.version})
            continue
        now[0] = min(due for due in (row.deadline_ms, row.computer_due_ms) if due is not None)
        services.tick(table_id=row.pk)
    assert any(entry.seat != seating.seat for entry in thrown), "a computer player has drawn and discarded"
    assert [state.book.key, row.book_version] == [key, BOOKS[key].version]
    assert not audit().differences


def send(table: int, user: Player, frame: dict[str, Any]) -> None:
    answer = services.play(table_id=table, user_id=user.pk, connection="asha", frame=protocol.read(frame))
    assert answer["type"] == "ack"
