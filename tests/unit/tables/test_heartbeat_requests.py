"""The heartbeat of the web processes, requested by workers at the end of a clock."""

from typing import Any

import pytest

from tables.models import ServerHeartbeat, Table
from tables.play import heartbeat_requests, outages, services as play
from tests.support.clock import Clock
from tests.support.outages import alive
from tests.support.tables import Client

pytestmark = pytest.mark.django_db


@pytest.fixture
def ended(duel: tuple[Client, Client], clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Let the turn end shortly after a heartbeat; nobody has to wait long for one that does not come."""
    monkeypatch.setattr(heartbeat_requests, "PATIENCE", 0.0)
    monkeypatch.setitem(heartbeat_requests._unanswered, "at_ms", 0)
    alive(clock, 29.5)
    clock.wait(0.52)
    return duel[0]


def test_a_clock_that_ends_between_two_heartbeats_runs_out_at_once_if_a_web_process_answers(
    ended: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[int] = []

    def answer(group: str, message: dict[str, Any]) -> None:
        if group == heartbeat_requests.GROUP:
            requests.append(heartbeat_requests.moment_of(message))
            outages.record_heartbeat(since=requests[-1])

    deadline = Table.objects.get(pk=ended.table).deadline_ms
    monkeypatch.setattr("tables.play.broadcast.send", answer)
    play.tick(table_id=ended.table)
    assert ended.view()["clock"]["kind"] == "extra"
    assert requests == [deadline]


def test_a_request_that_nobody_answers_is_not_repeated_before_the_next_heartbeat(
    ended: Client, clock: Clock, sent: list[tuple[str, dict[str, Any]]]
) -> None:
    sent.clear()
    play.tick(table_id=ended.table)
    play.tick(table_id=ended.table)
    assert [group for group, _ in sent] == [heartbeat_requests.GROUP]
    assert ended.view()["clock"]["kind"] == "turn"
    alive(clock, 0.5)
    assert ended.view()["clock"]["kind"] == "extra"


def test_a_web_process_runs_clocks_out_without_a_request(ended: Client, sent: list[tuple[str, dict[str, Any]]]) -> None:
    play.tick(table_id=ended.table, by_server=True)
    assert ended.view()["clock"]["kind"] == "extra"
    assert heartbeat_requests.GROUP not in [group for group, _ in sent]


@pytest.mark.parametrize(("since", "noted"), [(-50, False), (50, True)])
def test_a_heartbeat_noted_just_before_is_noted_again_only_for_a_clock_that_ended_since(
    clock: Clock, since: int, noted: bool
) -> None:
    outages.record_heartbeat()
    first = ServerHeartbeat.objects.get().at_ms
    clock.wait(0.06)
    outages.record_heartbeat(since=first + since)
    assert (ServerHeartbeat.objects.get().at_ms > first) is noted
