"""A stake with a thousand open tables: the lobby stays short, counts stay exact, a seat is found at once."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lobby.models import Player, Stake
from lobby.stakes import open_tables, selectors, services
from tables.models import Seating, Table
from tests.support.program import Program
from tests.support.stakes import StakeFactory

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


@pytest.fixture
def stake() -> Stake:
    return StakeFactory(seats=3)


def open_table(stake: Stake, phase: str, *names: str) -> Table:
    """Open a table as the lobby finds it, with computers of these names on its first seats."""
    table = Table.objects.create(
        stake_id=stake.pk, title=str(stake), book=stake.book, book_version=1, family=stake.rule_book.family.value,
        currency=stake.currency, seats=stake.seats, phase=phase, seated=len(names), snapshot=b"",
    )  # fmt: skip
    for seat, name in enumerate(names):
        Seating.objects.create(table=table, seat=seat, name=name)
    return table


def listed_stake(stake: Stake) -> dict[str, Any]:
    return selectors.offered_among([stake.pk])[stake.pk]


def test_counts_cover_all_tables_and_the_list_a_few(stake: Stake, sent: list[Any]) -> None:
    for number in range(40):
        open_table(stake, "playing" if number % 2 else "waiting", "ann", *(["bea", "cid"] if number % 2 else []))
    listed = listed_stake(stake)
    assert (listed["seated"], listed["playing"], listed["waiting"], listed["tables_open"]) == (80, 60, 20, 40)
    assert len(listed["tables"]) == selectors.MOST_TABLES_LISTED


def test_tables_that_play_soonest_come_first_and_full_ones_last(stake: Stake, sent: list[Any]) -> None:
    empty = open_table(stake, "waiting")
    full = open_table(stake, "playing", "ann", "bea", "cid")
    running = open_table(stake, "playing", "ann", "bea")
    waiting, starting = open_table(stake, "waiting", "ann"), open_table(stake, "starting", "ann", "bea")
    tables = listed_stake(stake)["tables"]
    assert [table["id"] for table in tables] == [row.pk for row in (starting, waiting, running, empty, full)]
    assert [table["joinable"] for table in tables] == [True, True, True, True, False]
    assert [place["name"] for place in tables[0]["seats"]] == ["ann", "bea", None]


def test_a_running_match_cannot_be_joined(sent: list[Any]) -> None:
    pool = StakeFactory(pool=True)
    running = open_table(pool, "playing", "ann", "bea")
    assert open_tables.joinable(pool.pk) is None
    assert open_tables.stakes_with_room([pool.pk]) == set()
    waiting = open_table(pool, "waiting", "ann")
    assert open_tables.joinable(pool.pk) == waiting.pk
    assert {table["id"]: table["joinable"] for table in listed_stake(pool)["tables"]} == {
        running.pk: False,
        waiting.pk: True,
    }


def test_a_requested_seat_is_found_where_it_is_free(stake: Stake, sent: list[Any]) -> None:
    taken, free = open_table(stake, "waiting", "ann", "bea"), open_table(stake, "waiting", "ann")
    assert open_tables.joinable(stake.pk) == taken.pk
    assert open_tables.joinable(stake.pk, 1) == free.pk
    assert open_tables.joinable(stake.pk, 1, without=[free.pk]) is None
    assert open_tables.joinable(stake.pk, 3) is None
    # Somebody who has left in the middle of a deal keeps their seat until it is over.
    Seating.objects.create(table=free, seat=1, name="gone", left_at="2026-11-01T00:00Z")
    assert open_tables.joinable(stake.pk, 1) is None


def test_private_and_closed_tables_are_not_counted(stake: Stake, sent: list[Any]) -> None:
    Table.objects.filter(pk=open_table(stake, "waiting", "ann").pk).update(private_code="abc")
    Table.objects.filter(pk=open_table(stake, "waiting", "ann").pk).update(status=Table.Status.CLOSED)
    listed = listed_stake(stake)
    assert (listed["tables_open"], listed["seated"], listed["tables"]) == (0, 0, [])


def test_a_thousand_tables_cost_no_more_reads_and_bytes_than_a_dozen(stake: Stake, sent: list[Any]) -> None:
    program = Program()
    services.ensure_tables()

    def lobby() -> tuple[int, int]:
        with CaptureQueriesContext(connection) as queries:
            status, _ = program("GET", "lobby/")
        assert status == 200
        return len(queries), len(program.client.get("/api/lobby/").content)

    for _ in range(selectors.MOST_TABLES_LISTED):
        open_table(stake, "waiting", "ann")
    few = lobby()
    last = Table.objects.get(pk=open_table(stake, "waiting").pk)
    Table.objects.bulk_create(
        [Table(**{field.attname: getattr(last, field.attname) for field in Table._meta.fields if field.name != "id"})
         for _ in range(1_000)]
    )  # fmt: skip
    many = lobby()
    assert many[0] == few[0] > 3
    assert many[1] < few[1] + 100


def test_all_tables_of_a_stake_come_in_pages(stake: Stake, sent: list[Any]) -> None:
    table_ids = [open_table(stake, "waiting").pk for _ in range(55)]
    program = Program()
    status, first = program("GET", f"stakes/{stake.pk}/tables/")
    assert status == 200
    cursor = first["next"].partition("?")[2]
    status, second = program("GET", f"stakes/{stake.pk}/tables/?{cursor}")
    assert status == 200
    assert [table["id"] for table in (*first["results"], *second["results"])] == table_ids
    assert second["next"] is None
    Stake.objects.update(active=False)
    assert program("GET", f"stakes/{stake.pk}/tables/")[0] == 404


def test_a_quick_seat_is_the_fullest_table_of_many(stake: Stake, asha: Player, sent: list[Any]) -> None:
    for _ in range(3):
        services.ensure_table(stake.pk)
    seating = services.quick_seat(stake_id=stake.pk, user=asha)
    for number in range(30):
        open_table(stake, "waiting")
        assert services.quick_seat(stake_id=stake.pk, user=asha).pk == seating.pk, number
