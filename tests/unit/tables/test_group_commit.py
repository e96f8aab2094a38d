"""Moves in one batch: made in the loop, written in a thread; doubtful credentials are checked once for all."""

import asyncio
import json
import queue
import threading
from collections.abc import Collection, Iterator, Sequence
from time import thread_time
from typing import Any

import pytest

from tables.metrics import PROCESSOR
from tables.models import LoggedEvent, Table
from tables.play import broadcast, executors, frames, protocol, store
from tables.play.fast import clock, commit, group_commit, moves, table_cache
from tables.play.frames.encoder import Encoder
from tables.play.guards import MoveRequest
from tests.support.clock import Clock
from tests.support.tables import Client

ACK = {"type": "ack", "version": 1}


def ask(table: int, unverified: str | None = None) -> MoveRequest:
    return MoveRequest(table, table, f"c{table}", protocol.read_frame({"type": "sort"}), unverified)


def answers_of(asks: list[MoveRequest], verify: group_commit.Verify) -> list[group_commit.MoveOutcome]:
    answers = group_commit._written([], asks, verify)[1]
    return [answers.get(each.table_id) for each in asks]


def test_all_doubted_credentials_are_checked_at_once_and_a_void_one_makes_no_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checks: list[set[str]] = []
    made: list[int] = []

    def verify(unverified: Collection[Any]) -> set[str]:
        checks.append(set(unverified))
        return {"good", "of somebody else"}

    def play_together(asks: list[MoveRequest]) -> list[dict[str, Any] | None]:
        made.extend(each.table_id for each in asks)
        return [None if each.table_id == 4 else ACK for each in asks]

    monkeypatch.setattr(moves, "play_together", play_together)
    answers = answers_of([ask(1), ask(2, "void"), ask(3, "good"), ask(4)], verify)
    assert (checks, made, answers) == ([{"void", "good"}], [1, 3, 4], [ACK, None, ACK, None])


def test_without_doubt_no_credential_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "play_together", lambda asks: [ACK] * len(asks))
    checks: list[Any] = []
    assert answers_of([ask(1), ask(2)], lambda unverified: checks.append(unverified) or ()) == [ACK, ACK]
    assert checks == []


def test_where_nothing_can_be_checked_a_doubted_credential_makes_no_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "play_together", lambda asks: [ACK] * len(asks))
    assert answers_of([ask(1, "anybody")], lambda unverified: ()) == [None]


class Disk:
    """Stands for the database: each batch waits until the test lets it go on."""

    def __init__(self) -> None:
        self.under_way: queue.Queue[tuple[list[int], threading.Event]] = queue.Queue()

    def play_together(self, asks: Sequence[MoveRequest]) -> list[dict[str, Any] | None]:
        written = threading.Event()
        self.under_way.put(([each.table_id for each in asks], written))
        assert written.wait(10)
        return [{**ACK, "version": each.table_id} for each in asks]

    async def next_batch(self) -> tuple[list[int], threading.Event]:
        return await asyncio.to_thread(self.under_way.get, timeout=10)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk = Disk()
    monkeypatch.setattr(moves, "play_together", disk.play_together)
    monkeypatch.setattr(executors, "IDLE", 0.05)
    monkeypatch.setattr(group_commit, "WRITER", executors.OwnThread("moves together"))
    yield disk
    thread = group_commit.WRITER._thread
    if thread is not None:
        thread.join(10)
    assert group_commit.WRITER._thread is None, "the thread ends when nobody moves"


def test_while_a_batch_is_written_the_next_moves_gather_one_of_each_table(disk: Disk) -> None:
    async def scene() -> list[int]:
        waiting = group_commit.current()
        answers = [waiting.play(ask(1)), waiting.play(ask(2))]
        first, first_written = await disk.next_batch()
        answers += [waiting.play(ask(3)), waiting.play(ask(1)), waiting.play(ask(3))]
        first_written.set()
        second, second_written = await disk.next_batch()
        assert [answer.done() for answer in answers] == [True, True, False, False, False]
        second_written.set()
        third, third_written = await disk.next_batch()
        third_written.set()
        assert (first, second, third) == ([1, 2], [3, 1], [3])
        return [answer["version"] for answer in await asyncio.gather(*answers) if answer is not None]

    assert asyncio.run(scene()) == [1, 2, 3, 1, 3]


def test_while_a_batch_is_written_its_frames_are_made_and_nobody_gets_them(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(moves, "make_messages", lambda made: done.append("made") or {1: {}})
    monkeypatch.setattr(moves, "show_moves", lambda written, messages: done.append(f"shown {messages}"))

    async def scene() -> None:
        answer = group_commit.current().play(ask(1))
        _, written = await disk.next_batch()
        await asyncio.sleep(0)
        assert done == ["made"]
        written.set()
        await answer
        assert done == ["made", "shown {1: {}}"]

    asyncio.run(scene())


def test_the_processor_time_of_a_batch_is_counted_by_its_parts_and_waiting_is_not(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def counted() -> dict[str, float]:
        return {part: PROCESSOR.labels(part)._value.get() for part in ("making", "writing", "frames")}

    monkeypatch.setattr(group_commit, "thread_time", lambda: thread_time() - 1)
    before = counted()

    async def scene() -> None:
        answer = group_commit.current().play(ask(1))
        _, written = await disk.next_batch()
        written.set()
        await answer

    asyncio.run(scene())
    grown = {part: seconds - before[part] for part, seconds in counted().items()}
    assert {part: round(seconds) for part, seconds in grown.items()} == {"making": 1, "writing": 1, "frames": 1}, (
        "each took a second more by this clock, and showing is one of the frames"
    )


def test_a_batch_that_fails_leaves_its_moves_to_the_lock_and_the_next_is_made(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        waiting = group_commit.current()
        with monkeypatch.context() as patch:
            patch.setattr(moves, "play_together", fail)
            assert await waiting.play(ask(1)) is None
        answer = waiting.play(ask(1))
        (await disk.next_batch())[1].set()
        assert await answer == ACK

    def fail(asks: Sequence[MoveRequest]) -> Any:
        raise OSError("the database is gone")

    asyncio.run(scene())


@pytest.fixture
def known_time(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the fast way know the time without reading it, as it does within a second of the last reading."""
    monkeypatch.setattr("tables.play.fast.clock.known_now_ms", lambda: clock.now)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("known_time")
class TestAtHand:
    def test_a_move_at_hand_is_made_without_the_database_shown_after_its_commit_and_only_then(
        self, duel: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
    ) -> None:
        table_cache.put(store.read_table(duel[0].table))
        shown: list[tuple[int, int]] = []
        monkeypatch.setattr(
            broadcast, "tell", lambda table, _: shown.append((table.state.version, LoggedEvent.objects.count()))
        )
        before, events = store.version(duel[0].table), LoggedEvent.objects.count()
        with django_assert_num_queries(0):
            made = moves.make_at_hand([_draw(duel[0])])
            messages = moves.make_messages(made)
        assert [move.answer["version"] for move in made] == [before + 1] and shown == []
        assert messages[duel[0].table].version == before + 1
        assert table_cache.get(duel[0].table).state.version == before, "the guess is what is committed"  # type: ignore[union-attr]
        written, answers = group_commit._written(made, [_draw(duel[0])], lambda unverified: ())
        assert answers == {duel[0].table: {"type": "ack", "version": before + 1}} and shown == []
        moves.show_moves(written, messages)
        assert shown == [(before + 1, events + 1)]

    def test_a_move_at_hand_that_lost_a_race_is_made_on_the_table_as_it_is_now(
        self, duel: tuple[Client, Client]
    ) -> None:
        table_cache.put(store.read_table(duel[0].table))
        made = moves.make_at_hand([_draw(duel[0])])
        other = duel[1].send("sort")
        moves.make_messages(made)
        written, answers = group_commit._written(made, [_draw(duel[0])], lambda unverified: ())
        assert written == [] and answers == {duel[0].table: {"type": "ack", "version": other["version"] + 1}}
        table = table_cache.get(duel[0].table)
        assert table is not None
        for seat in (0, 1, None):
            shown = json.loads(frames.shown_frame(table, seat).text)["view"]
            assert shown == json.loads(json.dumps(frames.view(table, seat))), "nothing is left of the lost move"

    def test_a_table_whose_frames_cannot_be_made_leaves_the_others_theirs(
        self, duel: tuple[Client, Client], other_duel: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def opening_of(encoder: Encoder, away_ms: int) -> Any:
            if encoder._table.row.pk == duel[0].table:
                raise ValueError("an event that cannot be told")
            return openings(encoder, away_ms)

        openings = Encoder._openings
        monkeypatch.setattr(Encoder, "_openings", opening_of)
        asks = [_draw(duel[0]), _draw(other_duel[0])]
        for asked in asks:
            table_cache.put(store.read_table(asked.table_id))
        made = moves.make_at_hand(asks)
        assert [move.table.row.pk for move in made] == [duel[0].table, other_duel[0].table]
        messages = moves.make_messages(made)
        assert set(messages) == {other_duel[0].table}
        assert messages[other_duel[0].table].version == made[1].transition.after.version

    @pytest.mark.parametrize("reason", ["unverified", "forgotten", "time unknown", "seen newer"])
    def test_what_needs_the_database_is_not_at_hand(
        self, reason: str, duel: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table_cache.put(store.read_table(duel[0].table))
        assert moves.make_at_hand([_draw(duel[0])])
        asked = _draw(duel[0], unverified="session" if reason == "unverified" else None)
        if reason == "forgotten":
            table_cache.evict(duel[0].table)
        elif reason == "time unknown":
            monkeypatch.setattr(clock, "known_now_ms", lambda: None)
        elif reason == "seen newer":
            asked = _draw(duel[0], version=store.version(duel[0].table) + 1)
        assert moves.make_at_hand([asked]) == []

    def test_a_commit_that_fails_forgets_the_tables_of_its_moves(
        self, duel: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(made: Any) -> Any:
            raise OSError("the line broke: nobody knows whether it is committed")

        table_cache.put(store.read_table(duel[0].table))
        made = moves.make_at_hand([_draw(duel[0])])
        monkeypatch.setattr(commit, "write", fail)
        assert group_commit._write(made, [_draw(duel[0])], lambda unverified: ()) == ([], {})
        assert (
            table_cache.get(duel[0].table) is None
            and Table.objects.get(pk=duel[0].table).version == made[0].transition.before.version
        )


def _draw(client: Client, unverified: str | None = None, **fields: Any) -> MoveRequest:
    frame = protocol.read_frame({"type": "draw", "pile": "closed", **fields})
    return MoveRequest(client.table, client.user.pk, client.connection, frame, unverified)
