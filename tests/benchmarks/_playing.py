"""Tables of six that computer players play out by the product's own path: the functions that sockets and workers call.

So there is every row that real play writes: events, packed as at night, deals, seats, postings. Left out are the
messages to players, commits between the moves of a deal, and pauses: what players wait for is over at once.
"""

import sys
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import time_machine
from django.utils import timezone

from lobby.accounts.services import sign_up
from rules import bots
from rules.game import IN_DEAL, Terms, legal_moves
from rules.game.moves import Leave
from tables.log.upkeep import pack_due
from tables.models import Seating
from tables.play import broadcast, clocks, frames, protocol, services, store
from tables.play.advance import advance, changing, finish
from tables.play.opening import open_table
from tables.play.store import LockedTable
from tests.support import connections
from tests.support.clock import WholeClock
from wallet.models import Transfer

SEATS, DEALS_A_TABLE = 6, 10
#: When it begins: what closed within two days is in no digest of an audit. A thousand transfers take some hours.
AGO, AGO_A_TRANSFER = timedelta(days=4), timedelta(seconds=60)
_TERMS = {"book": "standard-points", "book_version": 1, "point_value": 1, "minimum": 80, "fee_percent": 10}
_STACK = 1_600
#: After so many tables others come: their chips of sign-up would last for six stacks lost.
_TABLES_OF_A_PLAYER = 6
#: What a player is waited for.
_ACTS = {"draw", "discard", "submit", "continue"}


def play(transfers: int) -> None:
    """Play table after table until the ledger has so many transfers; tell on the other output how far it is."""
    number = 0
    with (
        time_machine.travel(timezone.now() - AGO - transfers * AGO_A_TRANSFER, tick=False) as traveller,
        patch.object(store, "now_ms", lambda: clock.now),
        patch.object(broadcast, "send", lambda group, message: None),
        patch.object(clocks, "_nudge", lambda table_id, delay: None),
    ):
        clock = WholeClock(traveller)
        users: list[Any] = []
        while (made := Transfer.objects.count()) < transfers:
            print(f"played {made:,} of {transfers:,} transfers", file=sys.stderr, flush=True)
            if number % _TABLES_OF_A_PLAYER == 0:
                names = [f"player{number}-{seat}" for seat in range(SEATS)]
                users = [sign_up(username=name, password="thirteen quiet cards") for name in names]
            _play_table(clock, number, users)
            number += 1
    for _ in pack_due():
        pass


def _play_table(clock: WholeClock, number: int, users: list[Any]) -> None:
    terms = Terms(seats=SEATS, **_TERMS)
    table_id = open_table(terms=terms, title=f"Table {number}", currency="FUN", stake_id=1).pk
    for user in users:
        services.sit(table_id=table_id, user=user, amount=_STACK)
        connections.connect(table_id=table_id, user_id=user.pk, connection=f"c{user.pk}")
    for _ in range(DEALS_A_TABLE):
        while not _is_dealt(table_id):
            _act(clock, table_id)
            _let_time_pass(clock, table_id)
        while _is_dealt(table_id):
            _act(clock, table_id)
            if _is_dealt(table_id):
                _let_time_pass(clock, table_id)
    with changing(table_id):
        table = store.lock_table(table_id)
        for seat in list(table.seatings):
            advance(table, Leave(seat=seat))
        finish(table)
    services._close_idle_table(table_id)


def _is_dealt(table_id: int) -> bool:
    return store.read_table(table_id).state.phase in IN_DEAL


def _let_time_pass(clock: WholeClock, table_id: int) -> None:
    running = store.read_table(table_id).state.clock
    assert running is not None
    clock.now = max(clock.now, running.deadline)
    # As the sockets of the players do.
    Seating.objects.filter(table=table_id, freed_at=None).update(seen_ms=clock.now)
    services.tick(table_id=table_id, by_server=True)


def _act(clock: WholeClock, table_id: int) -> None:
    """Make the moves of all players who are to act, one after the other, in one transaction."""
    with changing(table_id):
        table = store.lock_table(table_id)
        while (seat := _next(table)) is not None:
            chosen = bots.choose(frames.view(table, seat), bots.Strength.SOUND)
            assert chosen is not None
            advance(table, protocol.to_move(protocol.read_frame(chosen), seat))
            clock.wait(0.8)
            table.now = clock.now
        finish(table)


def _next(table: LockedTable) -> int | None:
    return next((seat for seat in range(SEATS) if _ACTS & {*legal_moves(table.state, seat)}), None)
