"""Simultaneous requests are answered in one batch, for tables and elsewhere."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.errors import TableError
from tables.models import Seating, Table
from tables.play import presence, services as play
from tables.play.seating import Claim, Connect, Disconnect
from tables.sockets.batching import Batcher, Take
from tests.support import connections
from tests.support.clock import Clock


@pytest.mark.asyncio
async def test_requests_during_a_round_are_answered_in_the_next() -> None:
    rounds: list[list[int]] = []
    busy = asyncio.Event()

    async def doubled(take: Take[int]) -> list[int]:
        rounds.append(take())
        await busy.wait()
        return [2 * each for each in rounds[-1]]

    desk = Batcher(doubled)
    requests = [asyncio.create_task(desk.submit(number)) for number in range(3)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    requests += [asyncio.create_task(desk.submit(number)) for number in (3, 4)]
    await asyncio.sleep(0)
    busy.set()
    assert await asyncio.gather(*requests) == [0, 2, 4, 6, 8]
    assert rounds == [[0, 1, 2], [3, 4]]


@pytest.mark.asyncio
async def test_all_of_as_many_kinds_are_answered_together_and_the_others_next_in_their_order() -> None:
    rounds: list[list[str]] = []

    async def same(take: Take[str]) -> list[str]:
        rounds.append(take())
        return rounds[-1]

    desk = Batcher(same, most=2, kind=lambda name: name[0])
    names = ["a1", "b1", "c1", "a2", "d1", "c2", "b2", "e1"]
    assert await asyncio.gather(*map(desk.submit, names)) == names
    assert rounds == [["a1", "b1", "a2", "b2"], ["c1", "d1", "c2"], ["e1"]]


@pytest.mark.asyncio
async def test_an_error_of_one_is_theirs_alone_and_one_of_all_does_not_end_the_asking() -> None:
    async def odd(take: Take[int]) -> list[Any]:
        numbers = take()
        if 13 in numbers:
            raise ValueError("the round")
        return [number if number % 2 else TableError("even", "An even one.") for number in numbers]

    desk = Batcher(odd)
    one, two = await asyncio.gather(desk.submit(1), desk.submit(2), return_exceptions=True)
    assert one == 1 and isinstance(two, TableError)
    failed = await asyncio.gather(desk.submit(13), desk.submit(3), return_exceptions=True)
    assert [str(each) for each in failed] == ["the round"] * 2
    cancelled = asyncio.create_task(desk.submit(5))
    await asyncio.sleep(0)
    cancelled.cancel()
    assert await desk.submit(7) == 7


@pytest.mark.django_db
def test_a_table_that_comes_back_together_is_one_change_and_each_has_their_own_answer(
    clock: Clock, player: Callable[..., Any], table: Callable[..., Table], sent: list[Any]
) -> None:
    place = table(seats=6)
    users = [player(f"p{number}") for number in range(6)]
    for user in users:
        play.sit(table_id=place.pk, user=user)
    connections.connect(table_id=place.pk, user_id=users[5].pk, connection="older")
    sent.clear()
    requests: list[Any] = [Connect(user.pk, f"c{user.pk}") for user in users]
    requests += [Claim(users[5].pk, "ancient", 0), Connect(player("guest").pk, "watcher")]
    *joined, refused, watching = presence.handle_requests(table_id=place.pk, requests=requests)
    assert [(each.number, each.plays) for each in joined] == [(1, True)] * 5 + [(2, False)]  # type: ignore[union-attr]
    assert {each.frame.connected for each in (*joined, watching)} == {(0, 1, 2, 3, 4, 5)}  # type: ignore[union-attr]
    assert isinstance(refused, TableError) and refused.code == "taken_over"
    assert watching.number == 0 and '"me":null' in watching.frame.text  # type: ignore[union-attr]
    departures = [Disconnect(user.pk, f"c{user.pk}") for user in users[:5]]
    presence.handle_requests(table_id=place.pk, requests=departures)
    assert sorted(Seating.objects.filter(table=place).values_list("connection", flat=True)) == [""] * 5 + ["older"]


@pytest.mark.django_db
def test_a_living_socket_gives_way_at_once_to_one_whose_client_has_spoken(
    clock: Clock,
    player: Callable[..., Any],
    table: Callable[..., Table],
    sent: list[Any],
    django_capture_on_commit_callbacks: Any,
) -> None:
    place, user = table(seats=2), player("asha")
    play.sit(table_id=place.pk, user=user)
    connections.connect(table_id=place.pk, user_id=user.pk, connection="former")
    sent.clear()
    silent = Connect(user.pk, "silent", has_spoken=lambda: False)
    spoken = Connect(user.pk, "spoken", has_spoken=lambda: True)
    with django_capture_on_commit_callbacks(execute=True):
        answers: list[Any] = presence.handle_requests(table_id=place.pk, requests=[silent, spoken])
    assert [(each.number, each.plays) for each in answers] == [(2, False), (3, True)]
    assert Seating.objects.get(table=place).connection == "spoken"
    takeovers = [
        (message["connection"], message["number"]) for _, message in sent if message["type"] == "table.taken_over"
    ]
    assert takeovers == [("spoken", 3)]


@pytest.mark.django_db
def test_a_crowd_at_many_tables_takes_as_many_statements_as_one_and_a_frozen_table_is_left_out(
    clock: Clock, player: Callable[..., Any], table: Callable[..., Table], sent: list[Any]
) -> None:
    places = [table(seats=2) for _ in range(4)]
    people = [player(f"p{number}") for number in range(4)]
    for place, user in zip(places, people, strict=True):
        play.sit(table_id=place.pk, user=user)
    Table.objects.filter(pk=places[-1].pk).update(status=Table.Status.FROZEN)

    def pass_at(tables: list[Table], name: str) -> tuple[dict[int, Any], int]:
        requests = {place.pk: [Connect(user.pk, name)] for place, user in zip(tables, people, strict=False)}
        with CaptureQueriesContext(connection) as queries:
            return presence.handle_requests_at_many(requests=requests), len(queries)

    alone, few = pass_at(places[:1], "early")
    together, many = pass_at(places, "late")
    # SQLite writes the seats one after the other, PostgreSQL is sent all of them at once.
    assert many <= few + 2
    assert [each.pk for each in places[:3]] == sorted(together)
    assert [(each.number, each.plays) for [each] in together.values()] == [(2, False), (1, True), (1, True)]
    assert [each.number for [each] in alone.values()] == [1]
    assert list(Seating.objects.order_by("pk").values_list("connection", flat=True)) == ["early", "late", "late", ""]
