"""Whole matches of pool, best of three and blind through the sockets: scores are steered, every chip is accounted for.

At the end the audit checks what all tests have left behind.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import Player, has_result
from tests.support.platform import Platform
from tests.support.strategies import Part, View, deals_seen, drops, leaves, played, seated, shows_nothing, totals, waits

pytestmark = pytest.mark.slow

STAKES = """
from lobby.models import Stake
clocks = dict(full_seconds=1, turn_seconds=20, extra_seconds=5, meld_seconds=10, result_seconds=10)
Stake.objects.create(title="Pool", book="standard-pool-101", seats=6, entry=10, prompt_seconds=4, order=-3, **clocks)
Stake.objects.create(title="Three", book="standard-deals-3", seats=2, entry=100, start_seconds=1, order=-2, **clocks)
Stake.objects.create(title="Blind", book="standard-blind", seats=3, point_value=1, order=-1, **clocks)
"""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    running = Platform(Path(tmp_path_factory.mktemp("variants")))
    running.start()
    running.run_code(STAKES)
    yield running
    audit = running.manage("audit_ledger", "--json")
    running.stop()
    assert audit.returncode == 0, audit.stdout


@pytest.fixture(scope="module")
def accounts(platform: Platform) -> list[dict[str, str]]:
    """Return headers of six accounts: the players are the same in every test, but not what they have received."""

    async def sign_up() -> list[dict[str, str]]:
        players = [Player(platform.address) for _ in range(6)]
        for player in players:
            await player.sign_up()
        return [player.headers for player in players]

    return asyncio.run(sign_up())


@pytest.fixture
def players(platform: Platform, accounts: list[dict[str, str]]) -> list[Player]:
    players = [Player(platform.address) for _ in accounts]
    for player, headers in zip(players, accounts, strict=True):
        player.headers = headers
    return players


@pytest.fixture(autouse=True)
def every_chip(players: list[Player]) -> Iterator[list[int]]:
    """Check around each test that the players together lose only the fees that the test names."""

    async def together() -> int:
        balances = [await player.balance() for player in players]
        assert all(in_play == 0 for _, in_play in balances), "nothing is left on a table"
        return sum(free for free, _ in balances)

    before = asyncio.run(together())
    fees: list[int] = []
    yield fees
    assert asyncio.run(together()) == before - sum(fees)


def marks(deal: View) -> Mapping[int, tuple[bool, int | None]]:
    return {row["seat"]: (row["out"], row["rejoined"]) for row in deal["rows"] if row["out"]}


def prompts(player: Player, kind: str) -> list[View]:
    """Return the prompts of this kind that the player was shown, each once."""
    prompts = [frame["view"]["prompt"] for frame in player.frames if frame["type"] == "state"]
    return list({json.dumps(prompt): prompt for prompt in prompts if prompt and prompt["kind"] == kind}.values())


def happened(player: Player, kind: str) -> list[View]:
    return [event for frame in player.frames for event in frame.get("events", ()) if event["type"] == kind]


#: Three are out after the second deal: one comes back, one does not want to, one does not answer.
POOL = (
    Part(offers=[4], accepts={3: True}),
    Part({1: drops, 2: drops, 3: drops, 4: drops}, offers=[3], accepts={4: True}),
    Part({1: drops, 2: drops, 3: drops, 4: drops}, accepts={3: False, 4: True}),
    Part({1: shows_nothing, 2: shows_nothing, 3: shows_nothing}, rejoins={2: True, 3: False}),
    Part({1: shows_nothing, 2: shows_nothing}, rejoins={2: False}, leaves_after=3),
    Part({1: shows_nothing, 2: shows_nothing}),
)


def test_a_pool_of_six_to_its_split(players: list[Player], every_chip: list[int]) -> None:
    async def story() -> tuple[list[View], View]:
        table = await seated(players, "Pool")
        views = await played(players, table, POOL)
        return views, await players[0].get(f"/api/tables/{table}/sheet/")

    views, sheet = asyncio.run(story())
    first, second, third, fourth = sheet["deals"]
    assert totals(first) == [0, 20, 20, 80, 80, 80]
    assert totals(second) == [0, 40, 40, 160, 160, 160]
    assert marks(second) == {3: (True, 41), 4: (True, None), 5: (True, None)}
    assert (totals(third), marks(third)) == ([0, 60, 60, 121], {3: (True, None)})
    assert totals(fourth) == [0, 80, 80]
    rejoin = prompts(players[3], "rejoin")[0]
    assert (rejoin["seats"], rejoin["price"], rejoin["score"]) == ([3, 4, 5], 10, 41)

    watched = players[0]
    offered = {prompt["by"]: [line["share"] for line in prompt["lines"]] for prompt in prompts(watched, "split")}
    assert offered == {1: [41, 11, 11], 0: [47, 8, 8]}, "seven entries of 10 less 10 %, and an entry for each drop more"
    assert [(event["seat"], event["accept"]) for event in happened(watched, "split_answered")][-2:] in (
        [(1, True), (2, True)],
        [(2, True), (1, True)],
    )
    assert [event["agreed"] for event in happened(watched, "split_ended")] == [False, True]
    assert not may_offer_after_a_refusal(players), "one offer between two deals"
    shares = [47, 8, 8, 0, 0, 0]
    for view in (views[0], views[5]):
        assert [account["amount"] for account in view["accounts"]] == shares
        assert [account["paid"] for account in view["accounts"]] == [10, 10, 10, 20, 10, 10], "one has come back"
    assert views[0]["table"]["prize"] == 63
    every_chip.append(7)


def may_offer_after_a_refusal(players: Sequence[Player]) -> bool:
    """Return whether a view between the refusal and the next deal still names `offer_split` among somebody's moves."""
    for player in players:
        refused = False
        for frame in player.frames:
            names = {event["type"] for event in frame.get("events", ())}
            refused = (refused or "split_ended" in names) and "cards_dealt" not in names
            me = frame["view"]["me"] if frame["type"] == "state" else None
            if refused and me is not None and "offer_split" in me["moves"]:
                return True
    return False


def test_best_of_three_goes_to_the_lower_total(players: list[Player], every_chip: list[int]) -> None:
    one, other = players[:2]
    parts = (Part({1: shows_nothing, 3: shows_nothing}), Part({2: shows_nothing}))

    async def story() -> tuple[View, View, tuple[int, int]]:
        before = await other.balance()
        table = await seated([one, other], "Three")
        views = await played([one, other], table, parts)
        after = await other.balance()
        return views[0], await one.get(f"/api/tables/{table}/sheet/"), (before[0], after[0])

    view, sheet, (before, after) = asyncio.run(story())
    assert [totals(deal) for deal in sheet["deals"]] == [[80, 0], [80, 80], [160, 80]]
    assert view["accounts"] == [
        {"seat": 0, "paid": 100, "amount": 0, "why": None},
        {"seat": 1, "paid": 100, "amount": 180, "why": None},
    ]
    assert after - before == 80
    assert not any("drop" in frame["view"]["me"]["moves"] for frame in one.frames if frame.get("view", {}).get("me"))
    first = [deal["first_seat"] for deal in deals_seen(one)]
    assert first[0] != first[1] and first[0] == first[2], "the first turn goes on from deal to deal"
    every_chip.append(20)


def test_a_lead_of_more_than_eighty_ends_it_after_two(players: list[Player], every_chip: list[int]) -> None:
    async def story() -> tuple[list[View], View]:
        table = await seated(players[:2], "Three")
        views = await played(players[:2], table, (Part({1: shows_nothing, 2: shows_nothing}), Part()))
        return views, await players[1].get(f"/api/tables/{table}/sheet/")

    views, sheet = asyncio.run(story())
    assert [totals(deal) for deal in sheet["deals"]] == [[80, 0], [160, 0]]
    assert [share["amount"] for share in views[1]["accounts"]] == [0, 180]
    every_chip.append(20)


@pytest.mark.parametrize("when", ["in their turn", "between two deals"])
def test_leaving_a_best_of_three_gives_the_prize_to_the_other(
    players: list[Player], every_chip: list[int], when: str
) -> None:
    leaver = Part({1: leaves}) if when == "in their turn" else Part({1: waits}, leaves_after=1)

    async def story() -> list[View]:
        table = await seated(players[:2], "Three")
        return await played(players[:2], table, (leaver, Part({1: shows_nothing} if leaver.leaves_after else {})))

    views = asyncio.run(story())
    assert [share["amount"] for share in views[1]["accounts"]] == [0, 180], "though they may have led"
    every_chip.append(20)


def test_a_blind_deal_shows_nobody_what_another_has_discarded(players: list[Player], every_chip: list[int]) -> None:
    three = players[:3]
    turns = 4

    def gives_up(view: View) -> Any:
        return drops(view) if view["deal"]["turn_number"] > turns * len(three) else waits(view)

    async def story() -> tuple[View, int]:
        table = await seated(three, "Blind", buy_in=100)
        parts = (Part(), Part({1: gives_up}), Part({1: gives_up}))
        view = (await played(three, table, parts, has_result))[0]
        for player in three:
            async with player.at(table):
                await player.ask("leave")
        return view, table

    view, _ = asyncio.run(story())
    assert [row["points"] for row in view["result"]["rows"]] == [0, 40, 40]
    thrown = {player.name: own_discards(player, seat) for seat, player in enumerate(three)}
    assert all(len(cards) >= turns for cards in thrown.values())
    for player in three:
        others = set().union(*(cards for name, cards in thrown.items() if name != player.name))
        for frame in before_the_result(player):
            assert not others & cards_in(frame), frame
            assert all(
                entry["card"] is None for entry in ((frame.get("view") or {}).get("deal") or {}).get("discards", ())
            )
    assert deals_seen(three[0])[0]["discards"], "they lie there, face down"
    every_chip.append(8)


def before_the_result(player: Player) -> list[View]:
    ended = next(place for place, frame in enumerate(player.frames) if (frame.get("view") or {}).get("result"))
    return player.frames[:ended]


def own_discards(player: Player, seat: int) -> set[str]:
    """Return the cards that the player discarded, from their own events."""
    return {event["card"] for event in happened(player, "card_discarded") if event["seat"] == seat}


def cards_in(value: Any) -> set[str]:
    """Return every text in a frame: a card that is named anywhere is among them."""
    if isinstance(value, dict):
        return set().union(*map(cards_in, value.values()), value.keys())
    if isinstance(value, list):
        return set().union(*map(cards_in, value)) if value else set()
    return {value} if isinstance(value, str) else set()
