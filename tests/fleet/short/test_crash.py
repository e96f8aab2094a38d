"""No operation of the services is ever half done, wherever it is struck."""

from uuid import uuid4

import pytest

from tables.models import Table
from tests.fleet import crash
from tests.fleet.operations import ACTS, BY_LINE, Act
from tests.support.tables import Client
from tests.support.world import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.databases
@pytest.mark.parametrize("name", ACTS)
def test_an_act_that_is_struck_is_done_whole_or_not_at_all(name: str) -> None:
    faults: list[str] = []
    assert crash.strike_everywhere(name, faults, quick=True) >= 2
    assert faults == []


@pytest.mark.postgres
@pytest.mark.parametrize("name", BY_LINE)
def test_a_move_by_the_line_whose_process_is_killed_is_done_whole_or_not_at_all(name: str) -> None:
    faults: list[str] = []
    assert crash.strike_line_everywhere(name, faults) == 4
    assert faults == []


def test_the_harness_sees_a_write_outside_the_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the table is renamed at once, whatever becomes of the move."""

    settle = ACTS["settle"]

    def careless(world: World) -> Act:
        act, table = settle(world), Table.objects.latest("pk")
        return lambda: (Table.objects.filter(pk=table.pk).update(title=str(uuid4())), act())

    monkeypatch.setitem(ACTS, "settle", careless)
    faults: list[str] = []
    crash.strike_everywhere("settle", faults, quick=True)
    assert any("tables.Table changed" in fault for fault in faults)


@pytest.mark.postgres
def test_the_harness_sees_a_write_beside_that_of_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the table is renamed at once, as if the line wrote by more than one statement."""

    draw = BY_LINE["draw_by_line"]

    def careless(world: World) -> tuple[Client, Act]:
        client, act = draw(world)
        return client, lambda: (Table.objects.filter(pk=client.table).update(title=str(uuid4())), act())

    monkeypatch.setitem(BY_LINE, "draw_by_line", careless)
    faults: list[str] = []
    crash.strike_line_everywhere("draw_by_line", faults)
    assert any("terminated: tables.Table changed" in fault for fault in faults)
