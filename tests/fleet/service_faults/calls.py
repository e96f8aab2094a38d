"""The calls of a fault run, struck or repeated: each must have changed nothing, or taken effect once."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

from django.db import OperationalError

from rules.errors import RulesError
from rules.game.events import ClockCredited
from tables import tasks
from tables.errors import TableError
from tables.models import LoggedEvent, Seating, Table
from tables.play import outages, protocol, services as play
from tables.staff import cancel_table, resume_table
from tests.fleet.nemesis import Writes, abort_transaction, counting, lose_database, raise_fault
from tests.fleet.service_faults.checkers import Violation, footprint
from tests.support.tables import Client, play_move
from wallet.audit_log.services import Actor
from wallet.base.errors import WalletError

OPS = Actor("ops")
STRUCK = 0.1
#: How often staff cancel a table that a fault has frozen, instead of letting it go on.
_CANCELLED = 0.1
#: Among so many writes the strike falls; a draw has four, a settled deal fifteen.
_AMONG = (4, 8, 20)
_REFUSALS = (TableError, WalletError, RulesError)
#: Frames that would only end what the vandal is to disturb.
_SPARED = frozenset({"leave", "drop", "auto_drop", "finish"})

T = TypeVar("T")


class Calls:
    """The calls at one table, with one random generator."""

    def __init__(self, table: int, rng: Random, happened: Counter[str]) -> None:
        self._table, self._rng, self._happened = table, rng, happened

    def sit(self, user: Any, amount: int | None) -> Seating | None:
        """Return the user's seating, or None if they got none; a repeated request must give the same seat and cost
        nothing."""
        seating = self._call("sit", lambda: play.sit(table_id=self._table, user=user, amount=amount))
        if seating is not None and self._rng.random() < STRUCK:
            before = footprint(self._table)
            if play.sit(table_id=self._table, user=user, amount=amount).pk != seating.pk:
                raise Violation("sitting down twice gave two seats")
            self._check_unchanged(before, "sitting down twice")
        return seating

    def play(self, client: Client, frame: protocol.Frame, *, twice: bool) -> None:
        answer = self._call(frame.type, lambda: _play(client, frame))
        if answer is not None and twice:
            self._happened["sent twice"] += 1
            before = footprint(self._table)
            if _play(client, frame) != answer:
                raise Violation(f"a {frame.type} sent twice was answered in two ways")
            self._check_unchanged(before, f"a {frame.type} sent twice")

    def vandal(self, client: Client, text: str) -> None:
        try:
            frame = protocol.parse_frame(text)
        except TableError:
            return
        if frame.type not in _SPARED and frame.type not in protocol.CONNECTION_FRAMES:
            self._happened["vandal"] += 1
            self._call("vandal", lambda: _play(client, frame))

    def leave(self, client: Client) -> None:
        """Let the player leave, whatever faults happen meanwhile."""
        for _ in range(10):
            if not Seating.objects.filter(table=self._table, user=client.user, left_at=None).exists():
                return
            self._call("leave", lambda: _play(client, protocol.Frame(type="leave")))
            self.unfreeze()
        raise Violation("a player cannot leave")

    def clock(self, *, swept: bool) -> None:
        """Run what is due: it happens once, however often it is requested."""
        if swept:
            tasks.sweep()
        else:
            self._call("tick", lambda: play.tick(table_id=self._table))
        if self._rng.random() < STRUCK:
            self.unfreeze()
            play.tick(table_id=self._table)
            before = footprint(self._table)
            for _ in range(3):
                play.tick(table_id=self._table)
            self._check_unchanged(before, "a tick that was not due")

    def after_an_outage(self) -> None:
        """Start the platform again after minutes: whoever was to act gets a grace period, and nothing else happens."""
        row = Table.objects.get(pk=self._table)
        overdue = row.status == Table.Status.OPEN and row.deadline_ms is not None
        outages.record_heartbeat(starting=True)
        tasks.sweep()
        if overdue:
            self._happened["outages"] += 1
            newest = LoggedEvent.objects.filter(table=self._table, version__gt=row.version)
            if [event.kind for event in newest] != [ClockCredited.name]:
                raise Violation(f"after an outage came {[event.kind for event in newest]}")

    def unfreeze(self) -> None:
        """Resume or cancel a table that a planted fault has frozen."""
        row = Table.objects.get(pk=self._table)
        if row.status != Table.Status.FROZEN:
            return
        if "a planted fault" not in row.fault:
            raise Violation(f"a table froze that was not struck: {row.fault}")
        if self._rng.random() < _CANCELLED:
            self._happened["cancelled"] += 1
            cancel_table(table_id=self._table, reason="A planted fault", actor=OPS)
        else:
            self._happened["resumed"] += 1
            resume_table(table_id=self._table, reason="It was planted", actor=OPS)

    def _call(self, what: str, call: Callable[[], T]) -> T | None:
        """Return the call's answer, or None if it was refused or struck; then nothing at all may have changed."""
        self.unfreeze()
        if self._rng.random() >= STRUCK:
            return self._call_without_fault(what, call)
        strike = self._rng.choice((raise_fault, lose_database, abort_transaction))
        writes, before = (
            Writes(at=self._rng.randint(1, self._rng.choice(_AMONG)), strike=strike),
            footprint(self._table),
        )
        try:
            with counting(writes):
                answer = call()
        except (*_REFUSALS, OperationalError) as error:
            self._check_unchanged(before, f"a {what} struck at {writes.at} ({writes.struck})")
            if strike is abort_transaction and isinstance(error, OperationalError):
                raise Violation(f"a {what} that was ended for others was not begun again") from error
            self._happened[f"struck: {strike.__name__}"] += bool(writes.struck)
            return None
        if writes.struck and strike is not abort_transaction:
            raise Violation(f"a {what} struck at {writes.struck} was answered {answer}")
        self._happened["begun again"] += bool(writes.struck)
        return answer

    def _call_without_fault(self, what: str, call: Callable[[], T]) -> T | None:
        try:
            return call()
        except _REFUSALS as refusal:
            if refusal.code == "frozen":
                raise Violation(f"a {what} froze the table") from refusal
            self._happened["refused"] += 1
            return None

    def _check_unchanged(self, before: Any, what: str) -> None:
        after = footprint(self._table)
        if after != before:
            raise Violation(f"{what} has changed {before} to {after}")


def _play(client: Client, frame: protocol.Frame) -> dict[str, Any]:
    return play_move(table_id=client.table, user_id=client.user.pk, connection=client.connection, frame=frame)
