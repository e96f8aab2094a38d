"""One table of a fault run: its players, their moves, and the faults injected into them."""

import json
from collections import Counter
from random import Random
from typing import Any

from rules.books import book
from rules.game.state import Phase
from tables import tasks
from tables.models import LoggedEvent, Match, Seating, ServerHeartbeat, Table
from tables.play import clocks, frames, presence, protocol, services as play, store
from tables.play.opening import open_table
from tables.play.store import LockedTable
from tables.simulation.players import Crowd, Vandal
from tests.fleet.service_faults import checkers
from tests.fleet.service_faults.calls import Calls
from tests.support import connections
from tests.support.tables import Client, terms
from tests.support.world import World

_POINT_VALUE, _ENTRY, _FEE_PERCENT = 5, 500, 12
_VISITS, _VANDALS, _REPEATS = 0.1, 0.2, 0.1
#: How often the platform is away for minutes when a clock runs out, and everybody goes for good at a step.
_OUTAGES, _EXODUS = 0.1, 0.002
_MOST_STEPS = 6_000
#: So many clocks may run out at a table that everybody has left: six players of a pool, absent in every deal.
_LONGEST_ALONE = 400
#: Matches of points and blind at one table.
_ONE_SETTLES = 3


class Room:
    """A table, its crowd, and the vandal beside it; `alone` if nobody else plays on the database."""

    def __init__(
        self, world: World, rng: Random, key: str, seats: int, happened: Counter[str], *, alone: bool = True
    ) -> None:
        self._world, self._rng, self._happened, self._alone = world, rng, happened, alone
        rules = book(key)
        per_point = rules.per_point
        stake = {
            "book": key,
            "seats": seats,
            "fee_percent": _FEE_PERCENT,
            "point_value": _POINT_VALUE if per_point else 0,
            "minimum": rules.full_count * _POINT_VALUE if per_point else 0,
            "entry": 0 if per_point else _ENTRY,
        }
        self._quota = _ONE_SETTLES if per_point else 1
        self.table = open_table(terms=terms(**stake), title="Room", currency="FUN").pk
        self._calls = Calls(self.table, rng, happened)
        self._crowd, self._vandal = Crowd(rng), Vandal(rng)
        self._clients: dict[int, Client] = {}
        self._strangers = [world.person()]
        self._deal: str | None = None
        self._gone, self._patience = False, _MOST_STEPS
        self._requests = 0

    def play(self, matches: int) -> int:
        """Play up to `matches` matches, let everybody leave, and return how many matches ended.

        Raises where a check fails.
        """
        goal, ended = min(matches, self._quota), 0
        for _ in range(_MOST_STEPS):
            table = self._look()
            if self._ended() > ended:
                ended = self._ended()
                checkers.check_after_match(table, alone=self._alone)
            abandoned = self._gone and not table.row.seated
            if ended >= goal or table.row.status == Table.Status.CLOSED or abandoned:
                self._empty()
                return ended
            self._step(table)
        raise checkers.Violation("a match does not end")

    def _look(self) -> LockedTable:
        table = store.read_table(self.table)
        if table.row.status == Table.Status.FROZEN:
            self._calls.unfreeze()
            table = store.read_table(self.table)
        if table.state.deal is not None and table.state.deal.deal_id != self._deal:
            self._deal = table.state.deal.deal_id
            self._crowd.deal_begins()
        return table

    def _ended(self) -> int:
        return Match.objects.filter(table=self.table).exclude(status=Match.Status.OPEN).count()

    def _step(self, table: LockedTable) -> None:
        if not self._gone and (table.state.phase is Phase.WAITING or self._rng.random() < _VISITS):
            self._fill(table)
        if self._rng.random() < _VANDALS:
            self._vandalise(table.state.version)
        if self._rng.random() < _EXODUS and table.state.deal is not None:
            self._gone = True
            self._happened["exodus"] += 1
            self._patience = _LONGEST_ALONE
        honest = None if self._gone else self._next_frame(self._look())
        self._world.clock.now += self._rng.randrange(100, 3_000)
        if honest is None:
            self._patience -= 1
            if self._patience < 0:
                row = Table.objects.get(pk=self.table)
                newest = list(LoggedEvent.objects.filter(table=row).order_by("-pk").values_list("kind", flat=True)[:12])
                raise checkers.Violation(
                    f"a table that everybody has left goes on and on: {row.status} {row.phase} {newest}"
                )
            self._let_the_clock_run()
        else:
            self._send(*honest)

    def _fill(self, table: LockedTable) -> None:
        """Fill the free seats with strangers, or with players who left before."""
        if table.row.status != Table.Status.OPEN:
            return
        taken = {seat for seat, seating in table.seatings.items() if seating.left_at is None}
        self._clients = {seat: client for seat, client in self._clients.items() if seat in taken}
        for _ in range(table.row.seats - len(taken)):
            user = self._rng.choice(self._strangers) if self._rng.random() < 0.3 else self._world.person()
            self._strangers.append(user)
            seating = self._calls.sit(user, self._rng.choice((None, _POINT_VALUE * 400, 1)))
            if seating is not None:
                connections.connect(table_id=self.table, user_id=user.pk, connection=f"c{user.pk}")
                self._clients[seating.seat] = Client(self.table, user, f"c{user.pk}")
                self._crowd.offline.discard(seating.seat)

    def _next_frame(self, table: LockedTable) -> tuple[Client, dict[str, Any], int] | None:
        seats = list(table.seatings)
        self._rng.shuffle(seats)
        for seat in seats:
            seating = table.seatings[seat]
            view = frames.view(table, seat)
            if seating.left_at is None and view["me"] is not None and view["me"]["moves"]:
                frame = self._crowd.frame(view)
                if frame is not None:
                    user = seating.user
                    return Client(self.table, user, f"c{user.pk}"), frame, table.state.version  # type: ignore[union-attr]
        return None

    def _send(self, client: Client, frame: dict[str, Any], version: int) -> None:
        self._requests += 1
        versioned = {"version": version} if frame["type"] in protocol.VERSIONED else {}
        text = json.dumps({**frame, **versioned, "id": f"r{self._requests}"})
        presence.record_sign_of_life(table_id=self.table, user_id=client.user.pk, connection=client.connection)
        self._calls.play(client, protocol.parse_frame(text), twice=self._rng.random() < _REPEATS)

    def _vandalise(self, version: int) -> None:
        """Send a random frame; frames that leave or end the deal are skipped, so that the others can play on."""
        someone = self._rng.choice([*self._clients.values(), None])
        user = someone.user if someone else self._rng.choice(self._strangers)
        self._calls.vandal(Client(self.table, user, f"c{user.pk}"), self._vandal.text(version))

    def _let_the_clock_run(self) -> None:
        """Let nobody act before the deadline; sometimes the platform itself is down then, and long after."""
        row = Table.objects.get(pk=self.table)
        self._world.clock.now = max(self._world.clock.now, row.deadline_ms or 0)
        if self._rng.random() < _OUTAGES:
            self._world.clock.wait(120)
            self._calls.after_an_outage()
        ServerHeartbeat.objects.update(at_ms=self._world.clock.now)
        for seat, seating in store.current_seatings(self.table).items():
            away = self._gone or seat in self._crowd.offline
            seen = 0 if away else self._world.clock.now
            Seating.objects.filter(pk=seating.pk, left_at=None).update(seen_ms=seen)
        if row.deadline_ms is None:
            self._world.clock.wait(clocks.ABANDONED_AFTER_MS / 1000 + 1)
            # Somebody has served meanwhile: nobody loses a seat in an outage.
            ServerHeartbeat.objects.update(at_ms=self._world.clock.now)
            play.release_seats()
        self._calls.clock(swept=self._rng.random() < 0.5)
        self._crowd.clock_ran_out()

    def _empty(self) -> None:
        """Let everybody leave, and check that nothing stays behind, at the table or in the books."""
        for seating in Seating.objects.filter(table=self.table, left_at=None):
            user = seating.user
            client = Client(self.table, user, f"c{user.pk}")  # type: ignore[union-attr]
            self._calls.leave(client)
        for _ in range(20):
            row = Table.objects.get(pk=self.table)
            if row.deadline_ms is None or row.status != Table.Status.OPEN:
                break
            self._world.clock.now = max(self._world.clock.now, row.deadline_ms)
            tasks.sweep()
        checkers.check_empty_table(store.read_table(self.table), alone=self._alone)
