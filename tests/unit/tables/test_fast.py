"""The fast way: a move of cards needs one conditional write; if a condition fails, the way with the lock decides."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection
from django.test.utils import CaptureQueriesContext

from rules import game
from rules.game import Phase, codec
from tables import tasks
from tables.models import Answer, LoggedEvent, Seating, Table
from tables.play import clocks, protocol, records, settlement, store
from tables.play.fast import clock as fast_clock, commit, moves as fast, table_cache
from tables.play.guards import MoveRequest
from tests.support.clock import Clock
from tests.support.tables import Client, read_event

pytestmark = pytest.mark.django_db(transaction=True)

Duel = tuple[Client, Client]


def ask(client: Client, kind: str, **named: Any) -> MoveRequest:
    frame = protocol.read_frame({"type": kind, **named})
    return MoveRequest(client.table, client.user.pk, client.connection, frame)


def footprint(table: int) -> tuple[Any, ...]:
    row = Table.objects.get(pk=table)
    return row.version, bytes(row.snapshot), LoggedEvent.objects.count(), Answer.objects.count()


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect which path each move took."""
    paths: list[str] = []
    lock_table, write = store.lock_table, commit.write

    def locked(*arguments: Any, **named: Any) -> Any:
        paths.append("locked")
        return lock_table(*arguments, **named)

    def written(moves: Any) -> Any:
        fit = write(moves)
        paths.extend("fast" for _ in fit)
        return fit

    monkeypatch.setattr(store, "lock_table", locked)
    monkeypatch.setattr(commit, "write", written)
    return paths


def test_a_move_of_cards_makes_no_posting_and_no_row_of_the_history() -> None:
    assert not table_cache.ONLY_CARDS & (settlement._POSTINGS.keys() | records.RECORDED)


def test_a_round_of_draws_and_discards_goes_the_fast_way_and_the_log_gives_the_state(
    duel: Duel, ways: list[str]
) -> None:
    for client in duel:
        assert client.send("draw", pile="closed")["type"] == "ack"
        assert client.send("discard", card=client.me["drawn"])["type"] == "ack"
    assert ways == ["fast"] * 4
    table = store.read_table(duel[0].table)
    assert table.state == table_cache.get(duel[0].table).state  # type: ignore[union-attr]
    rows = LoggedEvent.objects.filter(table=duel[0].table).order_by("version", "number")
    steps: dict[int, list[Any]] = {}
    for row in rows:
        steps.setdefault(row.version, []).append(read_event(row))
    rebuilt = game.rebuild(table.state.terms, list(steps.values()))
    assert codec.dump_state(rebuilt) == codec.dump_state(table.state)


def test_a_move_on_the_fast_way_needs_few_statements(duel: Duel) -> None:
    duel[0].send("draw", pile="closed", id="d")
    card = duel[0].me["drawn"]
    with CaptureQueriesContext(connection) as queries:
        assert duel[0].send("discard", card=card, id="x")["type"] == "ack"
    statements = [each["sql"] for each in queries if each["sql"].split()[0] in ("SELECT", "UPDATE", "INSERT", "DELETE")]
    assert len(statements) <= 5, statements


def test_the_same_request_gets_the_first_answer_and_changes_nothing(duel: Duel) -> None:
    answer = duel[0].send("draw", pile="closed", id="once")
    before = footprint(duel[0].table)
    table_cache.evict_all()
    assert duel[0].send("draw", pile="closed", id="once") == answer
    assert duel[0].send("discard", card=duel[0].me["drawn"], id="once") == answer, "a name used twice"
    assert footprint(duel[0].table) == before


STOPPED: dict[str, Callable[[Client], Any]] = {
    "another process was faster": lambda client: Table.objects.update(version=99),
    "staff have frozen it": lambda client: Table.objects.update(status=Table.Status.FROZEN),
    "another socket plays the seat": lambda client: Seating.objects.filter(user=client.user).update(connection="new"),
    "the player has left": lambda client: Seating.objects.filter(user=client.user).update(left_at="2026-11-23T00:00Z"),
    "the clock has run out": lambda client: Table.objects.update(deadline_ms=1),
    "the request was answered": lambda client: Answer.objects.get_or_create(
        seating=Seating.objects.get(user=client.user),
        request_id="r",
        defaults={"answer": {"type": "ack", "version": 1}},
    ),
}


@pytest.mark.databases
@pytest.mark.parametrize("case", STOPPED)
def test_the_write_stops_what_is_not_true_any_more(case: str, duel: Duel, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row changes between the check in memory and the write: nothing is written, and nobody is informed."""
    pushes: list[Any] = []
    monkeypatch.setattr("tables.play.broadcast.tell", pushes.append)
    write = commit.write

    def late(moves: Any) -> Any:
        STOPPED[case](duel[0])
        return write(moves)

    monkeypatch.setattr(commit, "write", late)
    events, guess = LoggedEvent.objects.count(), table_cache.get(duel[0].table) or store.read_table(duel[0].table)
    table_cache.put(guess)
    assert fast.play_together([ask(duel[0], "draw", pile="closed", id="r")])[0] is None
    assert (LoggedEvent.objects.count(), pushes) == (events, [])
    assert table_cache.get(duel[0].table) is not guess, "a guess that was wrong is made anew"


CONDITIONS = {
    "another process was faster": "t.version = m_expected AND ",
    "staff have frozen it": "t.status = 'open' AND ",
    "another socket plays the seat": "AND s.connection = m_connection ",
    "the player has left": " AND s.left_at IS NULL",
    "the clock has run out": " AND t.deadline_ms > m_now",
}


@pytest.mark.databases
@pytest.mark.parametrize("case", CONDITIONS)
def test_each_condition_of_the_write_is_needed(case: str, duel: Duel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: without it the move is written all the same."""
    assert CONDITIONS[case] in commit._WRITE
    monkeypatch.setattr(commit, "_WRITE", commit._WRITE.replace(CONDITIONS[case], ""))
    write = commit.write

    def late(moves: Any) -> Any:
        STOPPED[case](duel[0])
        return write(moves)

    monkeypatch.setattr(commit, "write", late)
    assert fast.play_together([ask(duel[0], "draw", pile="closed", id="r")])[0] is not None


@pytest.mark.databases
def test_without_asking_whether_it_was_answered_one_request_would_take_its_whole_batch_down(
    duel: Duel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted fault, which the database itself stops: a request has one answer."""
    part = commit._WRITE[commit._WRITE.index("AND NOT EXISTS") : commit._WRITE.index("RETURNING")]
    monkeypatch.setattr(commit, "_WRITE", commit._WRITE.replace(part, ""))
    STOPPED["the request was answered"](duel[0])
    with pytest.raises(IntegrityError):
        fast.play_together([ask(duel[0], "draw", pile="closed", id="r")])[0]
    assert table_cache.get(duel[0].table) is None


def test_changes_by_another_process_are_read(duel: Duel, ways: list[str]) -> None:
    stale = table_cache.get(duel[0].table) or store.read_table(duel[0].table)
    duel[0].send("draw", pile="closed")
    table_cache.evict_all()
    table_cache.put(stale)
    card, version = duel[0].me["drawn"], stale.state.version + 1
    assert duel[0].send("discard", card=card, version=version)["type"] == "ack"
    assert ways == ["fast", "fast"], "the client has seen what this process has not"
    table_cache.evict_all()
    table_cache.put(stale)
    assert duel[1].send("draw", pile="closed")["type"] == "ack"
    assert ways[2:] == ["locked"], "a guess that refuses decides nothing"


def test_one_bad_table_takes_no_other_down_with_it(
    duel: Duel, player: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The write rejects its row; the other table's move of the same commit is made."""
    asks = [ask(duel[0], "draw", pile="closed"), replace(ask(duel[0], "draw", pile="closed"), table_id=10**6)]
    answers = fast.play_together(asks)
    assert [answer and answer["type"] for answer in answers] == ["ack", None]


@pytest.mark.databases
@pytest.mark.parametrize("lost", ["before", "after"])
def test_after_a_commit_whose_fate_is_unknown_the_request_is_asked_for(
    lost: str, duel: Duel, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = commit.write

    def fails(moves: Any) -> Any:
        if lost == "after":
            write(moves)
        raise OperationalError("the line broke")

    with monkeypatch.context() as patch:
        patch.setattr(commit, "write", fails)
        with pytest.raises(OperationalError):
            duel[0].send("draw", pile="closed", id="once")
    assert table_cache.get(duel[0].table) is None
    assert duel[0].send("draw", pile="closed", id="once")["type"] == "ack"
    assert LoggedEvent.objects.filter(kind="card_drawn").count() == 1


@pytest.mark.databases
def test_a_fault_found_at_the_commit_is_reported_and_nothing_is_written(
    duel: Duel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The foreign key of an event's deal is checked at the commit, when its statement has long succeeded."""
    rows, before = store.event_rows, footprint(duel[0].table)
    strange = lambda *each: [row._replace(deal_id=10**9) for row in rows(*each)]  # noqa: E731
    monkeypatch.setattr(store, "event_rows", strange)
    with pytest.raises(IntegrityError):
        fast.play_together([ask(duel[0], "draw", pile="closed", id="r")])[0]
    assert (footprint(duel[0].table), table_cache.get(duel[0].table)) == (before, None)


@pytest.mark.parametrize(("left", "is_fast"), [(fast_clock.NEAR_MS, True), (fast_clock.NEAR_MS - 1, False)])
def test_shortly_before_the_deadline_only_the_database_can_tell_whether_it_has_passed(
    duel: Duel, clock: Clock, left: int, is_fast: bool
) -> None:
    clock.now = (Table.objects.get(pk=duel[0].table).deadline_ms or 0) - left
    assert (fast.play_together([ask(duel[0], "draw", pile="closed")])[0] is not None) is is_fast


def test_a_move_that_is_refused_leaves_the_table_in_memory_as_it_was(duel: Duel) -> None:
    duel[0].send("draw", pile="closed")
    in_memory = table_cache.get(duel[0].table)
    assert duel[0].send("draw", pile="closed")["code"] == "already_drawn"
    assert duel[1].send("draw", pile="closed")["code"] == "not_your_turn"
    assert table_cache.get(duel[0].table) is in_memory


def test_a_drop_that_ends_the_deal_goes_the_way_with_the_lock(duel: Duel, ways: list[str]) -> None:
    assert duel[0].send("drop")["type"] == "ack"
    assert "locked" in ways and store.read_table(duel[0].table).state.phase is Phase.RESULT
    assert table_cache.get(duel[0].table) is None


def test_a_practice_table_goes_the_way_with_the_lock(duel: Duel) -> None:
    table = store.read_table(duel[0].table)
    table.seatings[0].user = None
    table_cache.put(table)
    assert table_cache.get(duel[0].table) is None


def test_one_nudge_is_under_way_to_a_table_and_sees_to_the_next_by_itself(
    duel: Duel, clock: Clock, nudges: list[tuple[int, float]]
) -> None:
    """However often the clock is set anew, no nudge is sent before the last has come; then one for the present
    clock."""
    table = duel[0].table
    nudges.clear()
    for client in duel * 3:
        clock.wait(1)
        client.send("draw", pile="closed")
        client.send("discard", card=client.me["drawn"])
    assert nudges == []
    clock.wait(27)
    tasks.nudge(table)
    deadline = Table.objects.get(pk=table).deadline_ms or 0
    assert nudges == [(table, (deadline - clock.now) / 1000 + clocks.SLACK)]
    tasks.nudge(table)
    assert len(nudges) == 1


def test_an_earlier_moment_has_a_nudge_of_its_own(duel: Duel, nudges: list[tuple[int, float]]) -> None:
    nudges.clear()
    Table.objects.update(computer_due_ms=store.now_ms() + 900)
    tasks.nudge(duel[0].table)
    assert nudges == [(duel[0].table, 0.9 + clocks.SLACK)]


def test_an_older_state_never_follows_a_newer_one(duel: Duel) -> None:
    older = store.read_table(duel[0].table)
    duel[0].send("draw", pile="closed")
    table_cache.put(older)
    assert table_cache.get(duel[0].table).state.version == older.state.version + 1  # type: ignore[union-attr]
