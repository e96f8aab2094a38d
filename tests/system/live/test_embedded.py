"""The platform as a newcomer starts it, played from outside by the published contracts."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.support.client import Player, has_result, my_row
from tests.support.platform import Platform

pytestmark = pytest.mark.slow

QUICK_STAKE = """
from lobby.models import Stake
Stake.objects.create(book="standard-points", seats=2, point_value=1, title="Quick", turn_seconds=2, extra_seconds=1,
    meld_seconds=3, result_seconds=4, start_seconds=1, order=-1)
"""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    running = Platform(Path(tmp_path_factory.mktemp("embedded")))
    running.play()
    running.run_code(QUICK_STAKE)
    yield running
    running.stop()


@pytest.mark.parametrize(
    "path",
    ["/ws/nothing/", "/ws/lobby", "/ws/tables/", "/ws/tables/abc/", "/ws/tables/-1/", f"/ws/tables/{'9' * 60}/", "/"],
)
def test_where_there_is_no_socket_the_answer_is_404_and_nothing_is_logged(platform: Platform, path: str) -> None:
    before = platform.log("web")

    async def knock() -> int:
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://127.0.0.1:{platform.port}{path}", proxy=None)
        return refused.value.response.status_code

    assert asyncio.run(knock()) == 404
    assert "Traceback" not in platform.log("web").removeprefix(before)


def books_are_clean(platform: Platform) -> bool:
    audit = platform.manage("audit_ledger", "--json")
    return audit.returncode == 0


async def quick_stake(player: Player) -> int:
    stakes = (await player.get("/api/lobby/"))["stakes"]
    return int(next(stake["id"] for stake in stakes if stake["title"] == "Quick"))


def test_a_client_plays_a_practice_deal_and_finds_every_chip(platform: Platform, tmp_path: Path) -> None:
    async def story() -> None:
        player = Player(platform.address)
        await player.sign_up()
        assert await player.balance() == (10_000, 0)
        seat = await player.post("/api/practice/", book="standard-points", players=3)
        async with player.at(seat["table"]):
            result = await player.play_until(has_result)
            row = my_row(result, seat["seat"])
            assert sum(each["amount"] for each in result["result"]["rows"]) == 0, "practice takes no fee"
            assert (await player.ask("leave"))["type"] == "ack"
        assert await player.balance() == (10_000, 0), "practice chips are apart"
        statement = await player.get("/api/wallet/statement/", currency="FUN")
        assert [each["balance"] for each in statement["results"]] == [10_000]
        history = (await player.get("/api/history/"))["results"]
        assert [(each["points"], each["amount"]) for each in history] == [(row["points"], row["amount"])]
        proof = await player.get(f"/api/deals/{history[0]['deal']}/proof/")
        (tmp_path / "proof.json").write_text(json.dumps(proof))

    asyncio.run(story())
    checked = platform.manage("verify_deal", "--proof", str(tmp_path / "proof.json"))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert books_are_clean(platform)


def test_two_clients_play_each_other_and_the_server_dies_in_the_middle(platform: Platform) -> None:
    async def seat_two() -> tuple[list[Player], int]:
        players = [Player(platform.address) for _ in range(2)]
        for player in players:
            await player.sign_up()
        stake = await quick_stake(players[0])
        tables = [(await player.post(f"/api/stakes/{stake}/seats/", buy_in=200))["table"] for player in players]
        assert tables[0] == tables[1]
        return players, tables[0]

    async def first_half(players: list[Player], table: int) -> tuple[list[str], int]:
        async with players[0].at(table) as one, players[1].at(table) as two:
            for each in (one, two):
                if not (each.view["deal"] and each.view["deal"]["turn_seat"] is not None):
                    await each.until(lambda view: view["phase"] == "playing")
            mover = one if one.view["deal"]["turn_seat"] == one.view["me"]["seat"] else two
            await mover.ask("draw", pile="closed")
            while len(mover.view["me"]["hand"]) != 14:
                await mover.receive()
            platform.kill()
            return mover.view["me"]["hand"], players.index(mover)

    async def second_half(players: list[Player], table: int, hand: list[str], mover: int) -> None:
        async with players[0].at(table) as one, players[1].at(table) as two:
            both = (one, two)
            mover_view = both[mover].view
            if (
                mover_view["phase"] == "playing"
                and mover_view["deal"]["turn_seat"] == mover_view["me"]["seat"]
                and mover_view["me"]["drawn"]
            ):
                assert mover_view["me"]["hand"] == hand
            await asyncio.gather(*(each.play_until(has_result) for each in both[:1]), both[1].until(has_result))
            rows = one.view["result"]["rows"]
            fee = -sum(row["amount"] for row in rows)
            losses = -sum(row["amount"] for row in rows if row["amount"] < 0)
            assert fee == losses // 10
            for each in both:
                await each.ask("leave")
        for player, place in zip(players, (one, two), strict=True):
            amount = my_row(one.view, place.seat)["amount"]
            assert await player.balance() == (10_000 + amount, 0)

    async def remember_seats(players: list[Player], table: int) -> None:
        for player in players:
            async with player.at(table):
                player.seat = player.view["me"]["seat"]  # type: ignore[attr-defined]

    players, table = asyncio.run(seat_two())
    asyncio.run(remember_seats(players, table))
    hand, mover = asyncio.run(first_half(players, table))
    platform.start()
    asyncio.run(second_half(players, table, hand, mover))
    assert books_are_clean(platform)


def test_unseen_cards_are_in_no_frame(platform: Platform) -> None:
    """Whatever card a frame names was in the player's own hand, face up on the table, or shown in the result."""

    async def story() -> list[dict[str, object]]:
        player = Player(platform.address)
        await player.sign_up()
        seat = await player.post("/api/practice/", book="standard-points", players=6)
        async with player.at(seat["table"]):
            await player.play_until(has_result)
            await player.ask("leave")
        return player.frames

    frames = asyncio.run(story())
    known: set[str] = set()
    for frame in frames:
        view = frame.get("view")
        if not isinstance(view, dict) or view["result"]:
            continue
        known |= set(view["me"]["hand"])
        deal = view["deal"] or {}
        known |= {entry["card"] for entry in deal.get("discards", ())} | {deal.get("cut_joker"), deal.get("open_top")}
        text = json.dumps(frame)
        shown = {card for card in every_card() if f'"{card}"' in text}
        assert shown <= known


def every_card() -> set[str]:
    ranks = ["A", *map(str, range(2, 11)), "J", "Q", "K"]
    return {f"{rank}{suit}{pack}" for rank in ranks for suit in "CDHS" for pack in "12"} | {"JR1", "JR2"}


def test_a_second_platform_on_the_same_data_is_refused(platform: Platform) -> None:
    second = platform.manage("play", "--port", "1")
    assert second.returncode == 2
    assert "Another platform already runs" in second.stderr
