"""Games of shoes that are fixed beforehand, played by a program from the player's own view."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

from django.utils import timezone

from lobby.daily import services
from lobby.models import Player
from rules import bots
from rules.game import codec
from tables.log import reading
from tables.models import Seating, Shoe, Table
from tables.play import presence, protocol, services as play
from tests.support.clock import Clock
from tests.support.tables import Client, connected

#: Ten in the morning in India.
MORNING = datetime(2026, 11, 27, 4, 30, tzinfo=UTC)
DAY = date(2026, 11, 27)
Chooser = Callable[[dict[str, Any]], dict[str, Any] | None]


def todays_shoe() -> Shoe:
    return services.todays_shoe(timezone.now())


def go_to(clock: Clock, moment: datetime) -> None:
    clock.now = int(moment.timestamp() * 1000)


def by_the_book(view: dict[str, Any]) -> dict[str, Any] | None:
    """Play soundly: alike in every game of the same shoe."""
    return bots.choose(view)  # type: ignore[arg-type]


def at_once(view: dict[str, Any]) -> dict[str, Any] | None:
    """Drop at the first chance."""
    moves = view["me"]["moves"]
    return {"type": "drop"} if "drop" in moves else bots.choose(view)  # type: ignore[arg-type]


def sat_down(shoe: Shoe, user: Player) -> Client:
    """Seat the user at their table of the shoe, and connect them."""
    seating: Seating = services.sit_down(shoe=shoe, user=user)
    return connected(seating.table, user)


def play_out(client: Client, clock: Clock, choose: Chooser = by_the_book, *, most: int = 2_000) -> Table:
    """Play until the deal has its result, or so many steps; the clock goes from one moment to the next."""
    for _ in range(most):
        presence.record_sign_of_life(table_id=client.table, user_id=client.user.pk, connection=client.connection)
        table = Table.objects.get(pk=client.table)
        if table.phase == "result":
            return table
        frame = None if _computer_is_next(table) else _move(client, choose)
        if frame is not None:
            answer = play.play(
                table_id=client.table,
                user_id=client.user.pk,
                connection=client.connection,
                frame=protocol.read_frame(frame),
            )
            assert answer["type"] == "ack", answer
            continue
        # A millisecond more: the machine's clock is a number of seconds, and may be one short.
        clock.now = min(due for due in (table.deadline_ms, table.computer_due_ms) if due is not None) + 1
        play.tick(table_id=client.table)
    return Table.objects.get(pk=client.table)


def _computer_is_next(table: Table) -> bool:
    """Return whether a computer player moves before the clock runs out: until then nobody needs to look."""
    computer, clock = table.computer_due_ms, table.deadline_ms
    return computer is not None and (clock is None or computer < clock)


def _move(client: Client, choose: Chooser) -> dict[str, Any] | None:
    view = client.view()
    return choose(view) if {"draw", "discard", "submit"} & set(view["me"]["moves"]) else None


def story(table: Table) -> list[dict[str, Any]]:
    """Return all that happened in the table's deal, without times and the number of the deal."""
    kept = []
    for entry in reading.of_table(table):
        fields = codec.dump_event(entry.event())
        kept.append({name: value for name, value in fields.items() if name not in ("clock", "deal_id")})
    return kept
