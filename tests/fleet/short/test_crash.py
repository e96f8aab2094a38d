"""No operation of the services is ever half done, wherever it is struck."""

from uuid import uuid4

import pytest

from tables.models import Table
from tests.fleet import crash
from tests.fleet.operations import ACTS, Act
from tests.support.world import World

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]


@pytest.mark.parametrize("name", ACTS)
def test_an_act_that_is_struck_is_done_whole_or_not_at_all(name: str) -> None:
    faults: list[str] = []
    assert crash.strike_everywhere(name, faults, quick=True) >= 2
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
