"""Deals steered to the end that a test wants: who drops, who shows nothing, who is left and wins."""

from typing import Any

from tables.play import services as play
from tests.support.clock import Clock
from tests.support.tables import Client


def ask(client: Client, frame_type: str, **fields: Any) -> None:
    """Send a frame and assert that it is accepted: after a refusal the others would wait for ever."""
    answer = client.send(frame_type, **fields)
    assert answer["type"] == "ack", answer


def to_move(clients: list[Client]) -> Client:
    turn = clients[0].view()["deal"]["turn_seat"]
    return next(client for client in clients if client.me["seat"] == turn)


def all_drop_but(winner: Client, clients: list[Client]) -> None:
    """Let the others drop, each at their turn; the winner draws and discards until then."""
    while winner.view()["phase"] == "playing":
        mover = to_move(clients)
        if mover is winner:
            pass_turn(mover)
        else:
            ask(mover, "drop")


def pass_turn(client: Client) -> None:
    ask(client, "draw", pile="closed")
    ask(client, "discard", card=client.me["drawn"])


def one_loses_eighty(loser: Client, winner: Client, clients: list[Client]) -> None:
    """Let the loser finish with no groups, and the others drop."""
    while to_move(clients) is not loser:
        mover = to_move(clients)
        pass_turn(mover) if mover is winner else ask(mover, "drop")
    ask(loser, "draw", pile="closed")
    ask(loser, "finish", card=loser.me["drawn"])
    ask(loser, "submit", groups=[])
    all_drop_but(winner, clients)


def next_deal(clients: list[Client], clock: Clock) -> None:
    """Let the clock between deals run out."""
    clock.now = clients[0].view()["clock"]["deadline"]
    play.tick(table_id=clients[0].table)
    assert clients[0].view()["phase"] == "playing"
