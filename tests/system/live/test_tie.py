"""A best of three that is level after its third deal, from outside, on a platform whose shoe is stacked."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.client import Player
from tests.support.platform import Platform
from tests.support.strategies import Frame, Part, View, deals_seen, played, seated, shows_nothing, totals, waits

pytestmark = pytest.mark.slow

STAKE = """
from lobby.models import Stake
Stake.objects.create(
    title="Level", book="standard-deals-3", seats=2, entry=100, start_seconds=1, full_seconds=1, meld_seconds=10,
    result_seconds=10, order=-1
)
"""
GROUPS = [["3H", "4H", "5H", "6H"], ["7H", "8H", "9H"], ["QD", "QS", "QC"], ["2C", "2S", "2D"]]


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    with Platform(tmp_path, DJANGO_SETTINGS_MODULE="tests.system.live.stacked").started(STAKE) as running:
        yield running


def shows_all(view: View) -> Frame | None:
    """Show the four melds that they were dealt, once the other has had a turn."""
    moves = view["me"]["moves"]
    if "submit" in moves:
        return {"type": "submit", "groups": GROUPS}
    finishes = "finish" in moves and view["deal"]["turn_number"] > 1
    return {"type": "finish", "card": view["me"]["drawn"]} if finishes else waits(view)


def test_level_after_three_deals_it_is_played_on_for_the_prize(platform: Platform) -> None:
    """80, then 40 and 40 for the other; a fourth deal decides who gets the prize."""
    one, other = Player(platform.address), Player(platform.address)
    parts = (Part({1: shows_nothing, 2: shows_all, 3: shows_all}), Part({4: shows_nothing}))

    async def story() -> tuple[View, View, list[tuple[int, int]]]:
        for player in (one, other):
            await player.sign_up()
        table = await seated([one, other], "Level")
        view = (await played([one, other], table, parts))[0]
        sheet = await one.get(f"/api/tables/{table}/sheet/")
        return view, sheet, [await player.balance() for player in (one, other)]

    view, sheet, balances = asyncio.run(story())
    assert [totals(deal) for deal in sheet["deals"]] == [[80, 0], [80, 40], [80, 80], [80, 160]]
    assert view["accounts"] == [
        {"seat": 0, "paid": 100, "amount": 180, "why": None},
        {"seat": 1, "paid": 100, "amount": 0, "why": None},
    ]
    waiting = [frame["view"] for frame in one.frames if frame["type"] == "state" and frame["view"]["phase"] == "result"]
    level = [each for each in waiting if [seat["total"] for seat in each["seats"]] == [80, 80]]
    assert level and all(each["accounts"] is None and each["table"]["prize"] == 180 for each in level)
    assert [deal["first_seat"] for deal in deals_seen(one)] == [0, 1, 0, 1]
    assert balances[0][0] - balances[1][0] == 180 and all(in_play == 0 for _, in_play in balances)
    audit = platform.manage("audit_ledger", "--json")
    assert audit.returncode == 0, audit.stdout
