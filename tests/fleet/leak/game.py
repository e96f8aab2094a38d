"""A recorded match: everything that leaves the platform while it is played, checked as it leaves."""

import json
from collections import Counter
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any
from unittest.mock import patch

from django.test import Client as Browser

from rules.books import book
from rules.errors import RulesError
from rules.fairness import verify
from tables.errors import TableError
from tables.history.proofs import proof
from tables.models import Deal, LoggedEvent, Seating, Table
from tables.play import broadcast, frames, presence, protocol, services as play, store
from tables.play.broadcast import TableMessage
from tables.play.frames.encoder import Pieces
from tables.play.opening import open_table
from tables.play.store import LockedTable
from tables.simulation.fleet import Task
from tables.simulation.players import Crowd, Vandal
from tables.simulation.run import terms_of
from tables.watching import pictures
from tables.watching.scripts import script_of
from tests.fleet.leak import pages
from tests.fleet.leak.knowledge import Knowledge
from tests.fleet.leak.oracle import Oracle
from tests.fleet.leak.sinks import intercepted
from tests.fleet.leak.swaps import exchange, swapped, swapped_event
from tests.support import connections
from tests.support.staff import browser_of
from tests.support.tables import Client, play_move, read_event
from tests.support.world import World
from wallet.base.errors import WalletError
from wallet.keys.encryption import is_current

_REFUSALS = (TableError, WalletError, RulesError)
_VANDALS, _LOOKS = 0.15, 0.02
_MOST_STEPS = 6_000
_FRAMES = frames.frames


class Game:
    """A table, from the first seating to the end of its first match."""

    def __init__(self, world: World, task: Task, visitors: pages.Visitors, counts: Counter[str]) -> None:
        self._world, self._rng, self._counts, self._visitors = world, Random(task.seed), counts, visitors
        self.oracle = Oracle(Knowledge(task.players))
        self._since = pages.newest()
        self._crowd, self._vandal = Crowd(self._rng), Vandal(self._rng)
        terms = terms_of(book(task.book), task.players)
        self.table = open_table(terms=terms, title="Recorded", currency="FUN").pk
        self._last_event = 0
        self._browsers: dict[int, Browser] = {}
        self._deal: str | None = None

    def play(self, *, thorough: bool = False) -> list[str]:
        """Play the match, and return the first finding, if any.

        With `thorough`, request every address of the site once, in the first deal.
        """
        frames = patch("tables.play.frames.frames", self._check_frames)
        with (
            intercepted(push=self._check_push, task=partial(self._read, "task"), line=partial(self._read, "log")),
            frames,
        ):
            for _ in range(_MOST_STEPS):
                table = store.read_table(self.table)
                if table.row.status != Table.Status.OPEN or self._over(table) or self.oracle.findings:
                    break
                thorough = self._check_pages(table, thorough=thorough) and thorough
                self._check_watching(table)
                self._step(table)
        self._check_proofs()
        self._counts["matches"] += 1
        self._counts.update(self.oracle.read)
        return self.oracle.findings

    def _over(self, table: LockedTable) -> bool:
        match = table.state.match
        return (
            match is not None and match.deals > 0 and (table.state.book.per_point or table.state.phase.value == "over")
        )

    # --- what is read ---

    def _learn(self) -> None:
        """Update from the new events what each viewer may know."""
        rows = LoggedEvent.objects.filter(table=self.table, pk__gt=self._last_event).order_by("version", "number")
        for row in rows:
            self.oracle.knowledge.learn(read_event(row))
            self._last_event = max(self._last_event, row.pk)

    def _read(self, sink: str, text: str) -> None:
        self.oracle.text(sink, None, text)

    def _check_frames(self, table: LockedTable) -> dict[str, Pieces]:
        """Compare the frames to be sent with those of twins of the table (invariant H-3)."""
        self._learn()
        deal = table.state.deal
        for viewer in self.oracle.knowledge.viewers if deal is not None else ():
            assert deal is not None
            cards = exchange(self._rng, deal.packs, self.oracle.knowledge.of(viewer))
            state, events = swapped(table.state, cards), [swapped_event(event, cards) for event in table.events]
            twin = replace(table, state=state, events=events)
            self._counts["twins"] += 1
            if frames.shown_frame(twin, viewer).text != frames.shown_frame(table, viewer).text:
                self.oracle.findings.append(f"the frame of seat {viewer} tells a twin from the table")
        return _FRAMES(table)

    def _check_watching(self, table: LockedTable) -> None:
        """Check that who watches one deal behind sees no card of the running one, not even one that lies open."""
        sight, deal = pictures.see(self.table), table.state.deal
        script = None if sight.shown is None else script_of(sight.shown.deal_id)
        self.oracle.frame("watch", None, pictures.picture(sight, script, sight.now).decode())
        self.oracle.no_card("watch", _as_it_stands(sight))
        if deal is not None:
            twin = replace(table, state=swapped(table.state, exchange(self._rng, deal.packs, set())))
            with patch("tables.watching.pictures.store.read_table", lambda number: twin):
                if _as_it_stands(pictures.see(self.table)) != _as_it_stands(sight):
                    self.oracle.findings.append("what is watched tells a twin from the table")

    def _check_push(self, group: str, message: broadcast.Announcement) -> None:
        self._learn()
        seats = {str(each.user_id): seat for seat, each in store.current_seatings(self.table).items()}
        for user, pieces in ((isinstance(message, TableMessage) and message.frames) or {}).items():
            self.oracle.frame("frame", seats.get(user), b"".join(pieces).decode())
        self.oracle.text("push", None, f"{group} {json.dumps(broadcast.to_wire(message), default=_readable)}")

    def _check_pages(self, table: LockedTable, *, thorough: bool) -> bool:
        """Request the pages, and return whether the thorough look is still to come."""
        deal = table.state.deal
        turns = deal.turns if deal is not None and table.state.phase.value in ("playing", "melding") else 0
        if not (thorough and turns > 1) and not (turns and self._rng.random() < _LOOKS):
            return True
        browsers = {seat: self._browser(each) for seat, each in table.seatings.items() if each.left_at is None}
        pages.request_pages(self.oracle, table.row, self._visitors, browsers, thorough=thorough)
        pages.check_new_rows(self.oracle, self._since)
        self._counts["looks"] += 1
        return False

    def _browser(self, seating: Seating) -> Browser:
        user = seating.user_id or 0
        if user not in self._browsers:
            self._browsers[user] = browser_of(seating.user)  # type: ignore[arg-type]
        return self._browsers[user]

    def _check_proofs(self) -> None:
        """Verify each finished deal by its published proof (invariant H-5)."""
        for deal in Deal.objects.filter(match__table=self.table).exclude(ended_at=None):
            if verify(proof(deal)):
                self.oracle.findings.append(f"{deal} is not proven")
            kinds = list(deal.events.order_by("version", "number").values_list("kind", flat=True))
            if "client_seed_added" in kinds and kinds.index("client_seed_added") < kinds.index("deal_prepared"):
                self.oracle.findings.append(f"{deal}: a seed was taken before the server's own was committed")
            self._counts["deals"] += 1

    # --- what is played ---

    def _step(self, table: LockedTable) -> None:
        if table.state.deal is not None and table.state.deal.deal_id != self._deal:
            self._deal = table.state.deal.deal_id
            self._crowd.deal_begins()
        if table.state.match is None:
            self._fill(table)
        if self._rng.random() < _VANDALS:
            self._vandalise(table)
        self._world.clock.now += self._rng.randrange(100, 3_000)
        honest = self._next(store.read_table(self.table))
        if honest is None:
            self._let_the_clock_run()
        else:
            self._send(*honest, table.state.version)

    def _fill(self, table: LockedTable) -> None:
        taken = {seat for seat, each in table.seatings.items() if each.left_at is None}
        for _ in range(table.row.seats - len(taken)):
            user = self._world.person()
            seating = play.sit(table_id=self.table, user=user)
            joined = connections.connect(table_id=self.table, user_id=user.pk, connection=f"c{user.pk}")
            self.oracle.frame("frame", seating.seat, joined.frame.text)

    def _next(self, table: LockedTable) -> tuple[Client, int, dict[str, Any]] | None:
        seats = list(table.seatings)
        self._rng.shuffle(seats)
        for seat in seats:
            seating, view = table.seatings[seat], frames.view(table, seat)
            if seating.left_at is None and view["me"] is not None and view["me"]["moves"]:
                frame = self._crowd.frame(view)
                if frame is not None:
                    return Client(self.table, seating.user, f"c{seating.user_id}"), seat, frame
        return None

    def _send(self, client: Client, seat: int, frame: dict[str, Any], version: int) -> None:
        versioned = {"version": version} if frame["type"] in protocol.VERSIONED else {}
        presence.record_sign_of_life(table_id=self.table, user_id=client.user.pk, connection=client.connection)
        self._check_answer(client, seat, json.dumps({**frame, **versioned}))
        if self._rng.random() < _LOOKS:
            self.oracle.frame("frame", seat, presence.current_frame(table_id=self.table, user_id=client.user.pk).text)

    def _vandalise(self, table: LockedTable) -> None:
        """Send moves that are refused, and check the refusals; skip moves that would end the deal."""
        seat = self._rng.choice(list(table.seatings)) if table.seatings else None
        seating = table.seatings[seat] if seat is not None else None
        text = self._vandal.text(table.state.version)
        if seating is not None and not any(word in text for word in ('"leave"', '"drop"', '"auto_drop"', '"finish"')):
            self._check_answer(Client(self.table, seating.user, f"c{seating.user_id}"), seat, text)

    def _check_answer(self, client: Client, seat: int | None, text: str) -> None:
        try:
            frame = protocol.parse_frame(text)
            if frame.type in protocol.CONNECTION_FRAMES:
                return
            answer = play_move(table_id=self.table, user_id=client.user.pk, connection=client.connection, frame=frame)
        except _REFUSALS as refusal:
            answer = {"type": "error", "code": refusal.code, "message": refusal.message}
        self._learn()
        self.oracle.frame("answer", seat, json.dumps(answer))

    def _let_the_clock_run(self) -> None:
        row = Table.objects.get(pk=self.table)
        self._world.clock.now = max(self._world.clock.now, row.deadline_ms or 0)
        for seat, seating in store.current_seatings(self.table).items():
            seen = 0 if seat in self._crowd.offline else self._world.clock.now
            Seating.objects.filter(pk=seating.pk, left_at=None).update(seen_ms=seen)
        play.tick(table_id=self.table)
        self._crowd.clock_ran_out()


def _readable(part: object) -> str:
    """Return what somebody can read of a part of a message: in sealed bytes `2S2` may stand by chance."""
    return "sealed" if isinstance(part, bytes | memoryview) and is_current(part) else repr(part)


def _as_it_stands(sight: pictures.Sight) -> str:
    """Return what is told of the running deal, however it is told."""
    frames = [pictures.picture(sight, None, 0), *pictures.live_frame(sight, 0, is_new=True)]
    return b"".join(frames).decode()
