"""Operations at a table in any order: Hypothesis chooses them, and shrinks a failure to a short sequence."""

from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Sum
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from rules import game
from rules.books import BOOKS
from rules.errors import RulesError
from tables import tasks
from tables.errors import TableError
from tables.models import Seating, ServerHeartbeat, Table
from tables.play import frames, outages, protocol, services as play, store
from tables.play.opening import open_table
from tables.simulation.players import Crowd, Vandal
from tables.staff import cancel_table, freeze_table, resume_table
from tests.fleet.service_faults.checkers import Violation, check_after_match, footprint, only_players_change_the_deal
from tests.support import connections
from tests.support.database import Figures, on_its_own
from tests.support.steering import all_drop_but
from tests.support.tables import Client, play_move, terms
from tests.support.world import World, isolated_world
from wallet.audit_log.services import Actor
from wallet.base.errors import WalletError
from wallet.ledger import settlement_freeze
from wallet.ledger.selectors import stack
from wallet.models import Account, AccountKind

#: Sequences.
SIZE = 300
_STEPS = 60
_PLAYERS = 4
OPS = Actor("ops")
_REFUSALS = (TableError, WalletError, RulesError)
players, chances = st.integers(0, _PLAYERS - 1), st.integers(0, 2**32)


class AnyTable(RuleBasedStateMachine):
    """State machine of one table of any book, four players, staff, and a clock."""

    def __init__(self) -> None:
        super().__init__()
        self.atomic = transaction.atomic()
        self.atomic.__enter__()
        self.quiet = isolated_world()
        self.world: World = self.quiet.__enter__()
        self.users = [self.world.person() for _ in range(_PLAYERS)]
        self.requests = 0
        self.last: tuple[Client, protocol.Frame] | None = None
        outages.record_heartbeat()

    def teardown(self) -> None:
        try:
            if hasattr(self, "table"):
                check_after_match(store.read_table(self.table))
        finally:
            self.quiet.__exit__(None, None, None)
            transaction.set_rollback(True)
            self.atomic.__exit__(None, None, None)

    @initialize(key=st.sampled_from(sorted(BOOKS)), full=st.booleans(), late=st.booleans())
    def open(self, key: str, full: bool, late: bool) -> None:
        """Open a table of any book; if `late`, a pool begins when its limit is near."""
        book = BOOKS[key]
        per_point = book.per_point
        self.table = open_table(
            terms=terms(
                book=key,
                seats=min(_PLAYERS, book.max_seats) if full else book.min_seats,
                point_value=2 if per_point else 0,
                minimum=2 * book.full_count if per_point else 0,
                entry=0 if per_point else 300,
            ),
            title="Machine",
            currency="FUN",
        ).pk
        if late and full and book.pool_limit is not None and book.first_drop is not None:
            self._play_until_one_is_out(deals=(book.pool_limit - 1) // book.first_drop + 1)

    def _play_until_one_is_out(self, deals: int) -> None:
        """Let all but one drop in each deal: one player is out then, two have no drop left, the other has some."""
        for player in range(_PLAYERS):
            self.sit(player, None, player)
        clients = [self._client(player) for player in range(_PLAYERS)]
        for winner in [0, 1, *[2] * (deals - 2)]:
            self.jump(0)
            all_drop_but(clients[winner], clients)
        self.jump(0)

    @rule(player=players, amount=st.none() | st.integers(-1, 12_000), seat=st.none() | st.integers(-1, 6))
    def sit(self, player: int, amount: int | None, seat: int | None) -> None:
        user = self.users[player]
        self._try(lambda: play.sit(table_id=self.table, user=user, amount=amount, seat=seat))
        self._connect(player)

    @rule(player=players, chance=chances)
    def play(self, player: int, chance: int) -> None:
        """Make a random legal move of the player, if they have one."""
        frame = self._choose(player, Random(chance))
        if frame is not None:
            self._send(player, frame, version=store.version(self.table))

    @rule(steps=st.integers(1, 12), chance=chances)
    def play_on(self, steps: int, chance: int) -> None:
        """Make `steps` legal moves of any players; where nobody has one, let the clock run out."""
        rng = Random(chance)
        for _ in range(steps):
            frames = [(player, self._choose(player, rng)) for player in range(_PLAYERS)]
            able = [(player, frame) for player, frame in frames if frame is not None]
            if able:
                player, frame = rng.choice(able)
                self._send(player, frame, version=store.version(self.table))
            else:
                self.jump(0)

    @rule(player=players, chance=chances)
    def vandal(self, player: int, chance: int) -> None:
        """Send a random frame, legal or not."""
        try:
            frame = protocol.parse_frame(Vandal(Random(chance)).text(store.version(self.table)))
        except TableError:
            return
        self._play(self._client(player), frame)

    @rule(player=players)
    def stale(self, player: int) -> None:
        """Send a move based on an old view: it must change nothing."""
        before = footprint(self.table)
        answer = self._play(self._client(player), protocol.Frame(type="draw", version=0, fields={"pile": "closed"}))
        if (answer is not None and answer["type"] == "ack") or (answer is None and footprint(self.table) != before):
            raise Violation("a stale move was taken")

    @precondition(lambda self: self.last is not None)
    @rule()
    def again(self) -> None:
        """Repeat the last request: it must change nothing."""
        assert self.last is not None
        before = footprint(self.table)
        self._play(*self.last)
        if footprint(self.table) != before and Table.objects.get(pk=self.table).status == Table.Status.OPEN:
            raise Violation("a request that was repeated has changed something")

    @rule(player=players)
    def leave(self, player: int) -> None:
        self._send(player, {"type": "leave"})

    @rule(player=players, amount=st.sampled_from([1, 50, 500, 20_000]))
    def add_chips(self, player: int, amount: int) -> None:
        self._send(player, {"type": "add_chips", "amount": amount})

    @rule(player=players)
    def vanish(self, player: int) -> None:
        self._try(
            lambda: connections.disconnect(
                table_id=self.table, user_id=self.users[player].pk, connection=self._client(player).connection
            )
        )

    @rule(player=players)
    def come_back(self, player: int) -> None:
        self._connect(player)

    @rule(swept=st.booleans())
    def tick(self, swept: bool) -> None:
        self._try(tasks.sweep if swept else lambda: play.tick(table_id=self.table))

    @rule(late=st.sampled_from([0, 1, 4_999, 5_001, 700_000]))
    def jump(self, late: int) -> None:
        """Move the clock to `late` ms after the deadline; unless that is very late, the platform was up meanwhile."""
        deadline = Table.objects.get(pk=self.table).deadline_ms
        self.world.clock.now = max(self.world.clock.now, deadline or 0) + late
        if late < 10_000:
            ServerHeartbeat.objects.update(at_ms=self.world.clock.now)
        else:
            outages.record_heartbeat()
        self._try(lambda: play.tick(table_id=self.table))
        self._try(play.release_seats)

    @rule(seconds=st.sampled_from([-86_400, -19_800, -7, -2, 2, 7, 19_800]))
    def step_the_clock(self, seconds: int) -> None:
        """Step the database's clock: afterwards no clock of the table may run for longer than its length."""
        self.world.clock.now += 1000 * seconds
        outages.record_heartbeat()
        self._try(lambda: play.tick(table_id=self.table))
        table = store.read_table(self.table)
        clock = table.state.clock
        if table.row.status == Table.Status.OPEN and clock is not None and abs(seconds) > 3:
            if clock.deadline - table.now > clock.length:
                raise Violation(f"a clock of {clock.length} ms has {clock.deadline - table.now} ms to go")
            if clock.deadline <= table.now and not settlement_freeze.is_frozen():
                raise Violation("a step of the clock has left a clock overdue")

    @rule()
    def freeze(self) -> None:
        self._try(lambda: freeze_table(table_id=self.table, reason="To see", actor=OPS))

    @rule()
    def resume(self) -> None:
        self._try(lambda: resume_table(table_id=self.table, reason="Seen", actor=OPS))

    @rule(sure=st.integers(0, 9))
    def cancel(self, sure: int) -> None:
        if sure == 0:
            self._try(lambda: cancel_table(table_id=self.table, reason="Enough", actor=OPS))

    @invariant()
    def nothing_is_lost_or_made(self) -> None:
        total = Account.objects.exclude(kind=AccountKind.ISSUANCE).aggregate(Sum("balance"))["balance__sum"]
        if total != 10_000 * _PLAYERS:
            raise Violation(f"{total} units are held")

    @invariant()
    def the_table_is_as_the_rules_want_it(self) -> None:
        if hasattr(self, "table"):
            table = store.read_table(self.table)
            game.check_invariants(table.state)
            if "Traceback" in table.row.fault:
                raise Violation(f"the table froze: {table.row.fault[-300:]}")
            seatings = Seating.objects.filter(table=self.table, left_at=None)
            if len({seating.user_id for seating in seatings}) != len(seatings):
                raise Violation("a player has two seats")
            for seating in Seating.objects.filter(table=self.table).exclude(freed_at=None):
                if stack(seating.pk):
                    raise Violation("a seat that is free holds chips")

    def _connect(self, player: int) -> None:
        user = self.users[player]
        self._try(lambda: connections.connect(table_id=self.table, user_id=user.pk, connection=f"c{user.pk}"))

    def _choose(self, player: int, rng: Random) -> dict[str, Any] | None:
        table = store.read_table(self.table)
        mine = [seat for seat, seating in table.seatings.items()
                if seating.user_id == self.users[player].pk and seating.left_at is None]  # fmt: skip
        if not mine or table.row.status != Table.Status.OPEN:
            return None
        view = frames.view(table, mine[0])
        return Crowd(rng).frame(view) if view["me"] is not None and view["me"]["moves"] else None

    def _client(self, player: int) -> Client:
        return Client(self.table, self.users[player], f"c{self.users[player].pk}")

    def _send(self, player: int, frame: dict[str, Any], version: int | None = None) -> None:
        self.requests += 1
        versioned = {"version": version} if version is not None and frame["type"] in protocol.VERSIONED else {}
        self.last = (self._client(player), protocol.read_frame({**frame, **versioned, "id": f"r{self.requests}"}))
        self._play(*self.last)

    def _play(self, client: Client, frame: protocol.Frame) -> dict[str, Any] | None:
        if frame.type in protocol.CONNECTION_FRAMES:
            return None
        with only_players_change_the_deal(client.table, client.user.pk):
            try:
                return play_move(
                    table_id=client.table, user_id=client.user.pk, connection=client.connection, frame=frame
                )
            except _REFUSALS:
                return None

    @staticmethod
    def _try(act: Any) -> None:
        try:
            act()
        except _REFUSALS:
            return


def run_sequences(
    count: int, steps: int, *, machine: type[AnyTable] = AnyTable, always_new: bool = False, shorten: bool = True
) -> None:
    """Run `count` sequences of `steps` operations; raise the error of the first failure, shrunk if `shorten`."""
    phases = [Phase.generate, Phase.shrink] if shorten else [Phase.generate]
    how = settings(
        max_examples=count, stateful_step_count=steps, deadline=None, database=None, print_blob=False,
        derandomize=not always_new, suppress_health_check=list(HealthCheck), phases=phases,
    )  # fmt: skip
    run_state_machine_as_test(machine, settings=how)


def run(*, seed: int, size: int) -> Figures:
    """Run `size` sequences; Hypothesis chooses at random, so a failure is replayed from the sequence it prints."""
    return on_its_own("model_based", _play, seed, size)


def _play(seed: int, size: int) -> Figures:
    try:
        run_sequences(size, _STEPS, always_new=True)
    except Exception as fault:
        return {"sequences": size, "faults": [f"{type(fault).__name__}: {fault}", *getattr(fault, "__notes__", [])]}
    return {"sequences": size, "steps": _STEPS, "faults": []}
