"""All operations of the services that write more than once, each with its preparation, for `crash` to interrupt."""

import asyncio
from collections.abc import Callable
from unittest.mock import patch
from uuid import uuid4

from django.contrib.auth import get_user_model

from lobby.accounts import services as accounts
from lobby.models import Stake
from lobby.stakes import services as stakes
from tables.models import Match, Table
from tables.play import protocol, services as play, store
from tables.play.executors import OwnThread
from tables.play.fast import group_commit, table_cache
from tables.play.guards import MoveRequest
from tables.staff import cancel_match, cancel_table, freeze_table, resume_table
from tests.support.steering import all_drop_but, ask, next_deal, one_loses_eighty, to_move
from tests.support.tables import Client
from tests.support.world import World
from wallet import adjustments
from wallet.audit_log.services import Actor

Act = Callable[[], object]
OPS = Actor("ops")


def duel(world: World) -> list[Client]:
    """Return two players of points rummy with their cards; the first of them is to move."""
    table = world.table()
    clients = [world.sit(table, amount=800) for _ in range(2)]
    world.deal(table)
    return sorted(clients, key=lambda client: client is not to_move(clients))


def pool(world: World, seats: int = 3) -> list[Client]:
    table = world.pool(seats)
    clients = [world.sit(table) for _ in range(seats)]
    world.deal(table)
    return clients


def table_of(clients: list[Client]) -> Table:
    return Table.objects.get(pk=clients[0].table)


def join(world: World) -> Act:
    table, user = world.table(), world.person()
    world.sit(table)
    return lambda: play.sit(table_id=table.pk, user=user)


def start(world: World) -> Act:
    table = world.pool(3)
    for _ in range(3):
        world.sit(table)
    world.clock.wait(30)
    return lambda: play.tick(table_id=table.pk)


def draw(world: World) -> Act:
    first, _ = duel(world)
    return lambda: first.send("draw", pile="closed", id="1")


def discard(world: World) -> Act:
    first, _ = duel(world)
    ask(first, "draw", pile="closed")
    card = first.me["drawn"]
    return lambda: first.send("discard", card=card, id="1")


def expire(world: World) -> Act:
    table = table_of(duel(world))
    world.clock.wait(30)
    play.tick(table_id=table.pk)
    world.clock.wait(30)
    return lambda: play.tick(table_id=table.pk)


def settle(world: World) -> Act:
    first, _ = duel(world)
    return lambda: first.send("drop", id="1")


def show(world: World) -> Act:
    """Let the last of two players submit: the show is judged and the deal settled."""
    first, _ = duel(world)
    ask(first, "draw", pile="closed")
    ask(first, "finish", card=first.me["drawn"])
    return lambda: first.send("submit", groups=[], id="1")


def result(world: World) -> Act:
    """Let the result's clock run out: nobody continued, so both are seated out with their stacks."""
    first, _ = duel(world)
    ask(first, "drop")
    world.clock.wait(15)
    return lambda: play.tick(table_id=first.table)


def leave_deal(world: World) -> Act:
    first, _ = duel(world)
    return lambda: first.send("leave", id="1")


def leave_after(world: World) -> Act:
    first, _ = duel(world)
    ask(first, "drop")
    return lambda: first.send("leave", id="1")


def add_chips(world: World) -> Act:
    first, _ = duel(world)
    ask(first, "drop")
    return lambda: first.send("add_chips", amount=50, id="1")


def _eliminated(world: World) -> list[Client]:
    """Return three players of a pool, the first of them out after two deals of eighty points each."""
    clients = pool(world)
    loser, winner = clients[0], clients[1]
    one_loses_eighty(loser, winner, clients)
    next_deal(clients, world.clock)
    one_loses_eighty(loser, winner, clients)
    return clients


def rejoin(world: World) -> Act:
    loser = _eliminated(world)[0]
    return lambda: loser.send("rejoin", accept=True, id="1")


def no_rejoin(world: World) -> Act:
    """Let the clock of the rejoin offer run out."""
    clients = _eliminated(world)
    world.clock.wait(20)
    return lambda: play.tick(table_id=table_of(clients).pk)


def split(world: World) -> Act:
    """Let the second of two remaining players agree to share the prize."""
    clients = pool(world)
    all_drop_but(clients[2], clients)
    ask(clients[2], "leave")
    ask(clients[0], "offer_split")
    return lambda: clients[1].send("answer_split", accept=True, id="1")


def prize(world: World) -> Act:
    """Let one of two players leave the match, so that the other has won it."""
    clients = pool(world, seats=2)
    return lambda: clients[0].send("leave", id="1")


def cancel_points(world: World) -> Act:
    clients = duel(world)
    match = Match.objects.get(table=table_of(clients), status=Match.Status.OPEN)
    return lambda: cancel_match(match_id=match.pk, reason="A fault", actor=OPS)


def cancel_pool(world: World) -> Act:
    clients = _eliminated(world)
    ask(clients[0], "rejoin", accept=True)
    return lambda: cancel_table(table_id=table_of(clients).pk, reason="A fault", actor=OPS)


def freeze(world: World) -> Act:
    clients = duel(world)
    return lambda: freeze_table(table_id=table_of(clients).pk, reason="A fault", actor=OPS)


def resume(world: World) -> Act:
    clients = duel(world)
    freeze_table(table_id=table_of(clients).pk, reason="A fault", actor=OPS)
    return lambda: resume_table(table_id=table_of(clients).pk, reason="All is well", actor=OPS)


def computer(world: World) -> Act:
    """Let a computer player move at a practice table."""
    seating = stakes.practice(user=world.person(), book_key="standard-points", players=2)
    world.deal(seating.table)
    for _ in range(20):
        table = Table.objects.get(pk=seating.table_id)
        if table.computer_due_ms is not None:
            break
        world.clock.now = table.deadline_ms or world.clock.now
        play.tick(table_id=table.pk)
    world.clock.now = max(world.clock.now, table.computer_due_ms or 0)
    return lambda: play.tick(table_id=table.pk)


def practice(world: World) -> Act:
    user = world.person()
    return lambda: stakes.practice(user=user, book_key="standard-pool-101", players=3)


def open_stake(world: World) -> Act:
    stake = Stake.objects.create(book="standard-points", seats=2, point_value=1, order=1)
    return lambda: stakes.ensure_table(stake.pk)


def sign_up(world: World) -> Act:
    name = f"new{uuid4().hex[:12]}"
    return lambda: accounts.sign_up(username=name, password="a long pass phrase")


def adjust(world: World) -> Act:
    user, staff = world.person(), get_user_model().objects.create(username=f"staff{uuid4().hex[:8]}", is_staff=True)
    actor, request = Actor(staff.username, staff), str(uuid4())
    return lambda: adjustments.ask(
        request_id=request, player=user, currency="FUN", amount=50, reason="A gift", actor=actor
    )


def by_line(world: World, client: Client, **fields: object) -> Act:
    """Make the move as an event loop does on PostgreSQL: by its line, and under the lock only if it has no answer."""
    frame = protocol.read_frame(fields)
    request = MoveRequest(client.table, client.user.pk, client.connection, frame)

    async def play_by_line() -> object:
        waiting = group_commit.current()
        waiting._line_at_hand()
        if waiting._opening is not None:
            await waiting._opening
        assert waiting._line_at_hand() is not None
        return await waiting.play(request)

    def act() -> object:
        table_cache.evict(client.table)
        table_cache.put(store.read_table(client.table))
        with (
            patch("tables.play.fast.clock.known_now_ms", lambda: world.clock.now),
            # A thread does not live on in a child process.
            patch.object(group_commit, "WRITER", OwnThread("moves together")),
        ):
            answer = asyncio.run(play_by_line())
        return answer or play.play(
            table_id=client.table, user_id=client.user.pk, connection=client.connection, frame=frame
        )

    return act


def draw_by_line(world: World) -> tuple[Client, Act]:
    first, _ = duel(world)
    return first, by_line(world, first, type="draw", pile="closed", id="1")


def discard_by_line(world: World) -> tuple[Client, Act]:
    first, _ = duel(world)
    ask(first, "draw", pile="closed")
    return first, by_line(world, first, type="discard", card=first.me["drawn"], id="1")


#: Moves that the line of an event loop writes, each with who makes it; their requests have the id 1.
BY_LINE: dict[str, Callable[[World], tuple[Client, Act]]] = {
    act.__name__: act for act in (draw_by_line, discard_by_line)
}
ACTS: dict[str, Callable[[World], Act]] = {
    act.__name__: act
    for act in (
        join, start, draw, discard, expire, settle, show, result, leave_deal, leave_after, add_chips, rejoin, no_rejoin,
        split, prize, cancel_points, cancel_pool, freeze, resume, computer, practice, open_stake, sign_up, adjust,
    )
}  # fmt: skip
#: Acts at a table that a fault of ours freezes; what staff and lobby do freezes nothing.
AT_A_TABLE = frozenset(ACTS) - {
    "cancel_points", "cancel_pool", "freeze", "resume", "practice", "open_stake", "sign_up", "adjust",
}  # fmt: skip
#: Where the books take over from a fault of ours: these are done all the same.
RESCUED = frozenset({"cancel_points", "cancel_pool"})
