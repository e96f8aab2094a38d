"""A process asks what others listen to, remembers it until one announces more, and sends them that and nothing else."""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from tables.play import broadcast
from tables.play.company import ALONE_FOR, PROCESSES, UNHEARD_FOR, Company
from tests.support.sockets import until

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("listening", "sent"), [({}, []), ({PROCESSES: 1}, []), ({PROCESSES: 1, "table.2": 1}, ["table.2"])]
)
async def test_only_what_another_process_listens_to_is_sent(
    monkeypatch: pytest.MonkeyPatch, listening: Mapping[str, int], sent: list[str]
) -> None:
    class Layer:
        async def listening_elsewhere(self, groups: Iterable[str]) -> dict[str, int]:
            return {group: listening.get(group, 0) for group in groups}

    monkeypatch.setattr(broadcast, "get_channel_layer", Layer)
    news: list[broadcast.Announced] = [("table.1", {"type": "x"}), ("table.2", {"type": "y"})]
    assert [group for group, _ in await broadcast._heard_elsewhere(news)] == sent


class Elsewhere:
    """A channel layer with so many loops of other processes, which listen to all groups but the `unheard`.

    It may be `slow` to answer.
    """

    def __init__(self) -> None:
        self.processes = self.asked = 0
        self.unheard: set[str] = set()
        self.sent: list[str] = []
        self.slow: Callable[[], None] = lambda: None

    async def listening_elsewhere(self, groups: Iterable[str]) -> dict[str, int]:
        self.asked += 1
        answer = {group: 0 if group in self.unheard else self.processes for group in groups}
        self.slow()
        return answer

    async def group_send(self, group: str, message: Mapping[str, Any]) -> None:
        self.sent += [each for each, _ in message["news"]]


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    """Let this process have sockets, so that it hears who arrives."""
    layer = Elsewhere()
    monkeypatch.setattr(broadcast, "get_channel_layer", lambda: layer)
    monkeypatch.setattr(broadcast, "SEND_PAUSE", 0)
    monkeypatch.setattr(broadcast, "_receivers", {"sockets": lambda news: None})
    monkeypatch.setattr(broadcast, "company", Company())
    return layer


async def move(table: int, kind: str = "table.state") -> None:
    broadcast._hand_over([(f"table.{table}", {"type": kind})])
    await until(lambda: not broadcast._is_sending.is_set() and not broadcast._outbox)


async def test_a_process_that_is_alone_asks_once_and_whoever_arrives_gets_the_very_next_move(
    elsewhere: Elsewhere,
) -> None:
    for table in range(5):
        await move(table)
    assert (elsewhere.asked, elsewhere.sent) == (1, [])
    elsewhere.processes = 1
    broadcast.company.arrive()
    await move(5)
    await move(6)
    assert elsewhere.sent == ["table.5", "table.6"]
    elsewhere.processes, before = 0, elsewhere.asked
    for table in range(5):
        await move(table)
    assert elsewhere.asked == before + 1, "the other one has died, and nothing was announced"


async def test_whoever_arrives_while_the_answer_is_under_way_voids_it(elsewhere: Elsewhere) -> None:
    elsewhere.slow = broadcast.company.arrive
    await move(1)
    elsewhere.processes = 1
    await move(2)
    assert elsewhere.sent == ["table.2"]


async def test_an_arrival_that_was_lost_is_made_up_for_after_a_moment(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    await move(1)
    elsewhere.processes, moment = 1, time.monotonic
    await move(2)
    monkeypatch.setattr(time, "monotonic", lambda: moment() + ALONE_FOR)
    await move(3)
    assert elsewhere.sent == ["table.3"]


async def test_whoever_was_alone_for_a_moment_asks_again_about_the_table_played_meanwhile(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    await move(1)
    elsewhere.processes, moment = 1, time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: moment() + ALONE_FOR)
    await move(1)
    assert elsewhere.sent == ["table.1"]


async def test_in_company_it_is_asked_once_whether_a_table_is_heard_and_who_comes_to_it_gets_the_very_next_move(
    elsewhere: Elsewhere,
) -> None:
    elsewhere.processes, elsewhere.unheard = 1, {"table.1", "table.2"}
    for _ in range(3):
        await move(1)
        await move(2)
        await move(3)
    assert elsewhere.asked == 1 + 1 + 3, "what another process listens to is asked each time"
    assert elsewhere.sent == ["table.3"] * 3
    elsewhere.unheard, elsewhere.sent = {"table.2"}, []
    broadcast.company.arrive(["table.1"])
    await move(1)
    await move(2)
    assert elsewhere.sent == ["table.1"]
    assert elsewhere.asked == 5 + 1, "who comes to one table says nothing of the others"


async def test_what_this_process_listens_to_is_asked_by_one_question_and_anew_after_a_while(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = [f"table.{table}" for table in range(5)]
    elsewhere.processes, elsewhere.unheard, moment = 1, set(own), time.monotonic
    broadcast.company.join(own)
    for _ in range(2):
        for table in range(5):
            await move(table)
    assert elsewhere.asked == 1
    monkeypatch.setattr(time, "monotonic", lambda: moment() + UNHEARD_FOR)
    elsewhere.unheard.remove("table.4")
    broadcast.company.leave(["table.3"])
    for table in range(5):
        await move(table)
    assert elsewhere.asked == 2 + 2, "it has left table 3, and somebody else has come to table 4"
    assert elsewhere.sent == ["table.4"]
    elsewhere.unheard = set()
    broadcast.company.arrive()
    await move(0)
    assert elsewhere.sent == ["table.4", "table.0"], "one that has just come back may listen to anything"


async def test_a_question_asks_ahead_only_in_company_of_so_many_groups_and_of_new_ones_first(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tables.play.company.MOST_AHEAD", 2)
    company = broadcast.company
    company.join(["table.1", "table.2", "table.3"])
    assert company.ahead() == ["table.3", "table.2"]
    company.join(["table.4"])
    assert company.ahead() == ["table.4", "table.1"]
    assert company.ahead() == []
    company.join(["table.5"])
    company.asking()([PROCESSES])
    assert company.ahead() == []


async def test_who_was_alone_asks_ahead_again_in_company_although_no_arrival_was_heard(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    broadcast.company.join(["table.1"])
    broadcast.company.asking()([PROCESSES])
    elsewhere.processes, moment = 1, time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: moment() + ALONE_FOR)
    await move(2)
    assert broadcast.company.ahead() == ["table.1"]


async def test_what_nobody_would_make_up_for_is_asked_each_time(elsewhere: Elsewhere) -> None:
    elsewhere.processes, elsewhere.unheard = 1, {"table.1"}
    await move(1)
    elsewhere.unheard = set()
    await move(1)
    await move(1, "table.notice")
    assert elsewhere.sent == ["table.1"]


async def test_who_comes_to_a_table_unheard_of_is_asked_for_after_a_while(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere.processes, elsewhere.unheard, moment = 1, {"table.1"}, time.monotonic
    await move(1)
    elsewhere.unheard = set()
    monkeypatch.setattr(time, "monotonic", lambda: moment() + UNHEARD_FOR)
    await move(1)
    assert elsewhere.sent == ["table.1"]


async def test_what_is_remembered_of_tables_stays_small(elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.play.company.MOST_UNHEARD", 10)
    elsewhere.processes, elsewhere.unheard = 1, {f"table.{table}" for table in range(100)}
    for table in range(100):
        await move(table)
    assert len(broadcast.company._unheard) <= 10 + 1


async def test_a_process_without_sockets_which_hears_no_arrivals_asks_each_time(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "_receivers", {})
    await move(1)
    elsewhere.processes = 1
    await move(2)
    assert elsewhere.sent == ["table.2"]
