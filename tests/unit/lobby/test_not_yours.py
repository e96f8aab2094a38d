"""What belongs to others and what does not exist get the same answer, so that ids reveal nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client as Browser

from lobby.models import Player
from lobby.stakes import services as stakes
from tables.models import Deal, Table
from tests.support.database import rolled_back
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.staff import browser_of
from tests.support.stakes import StakeFactory
from tests.support.steering import ask, to_move
from tests.support.world import World, isolated_world
from wallet.play_money import services as play_money

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

NOWHERE = 987_654
#: Each address, with the name of what it is about.
API = [
    ("GET", "deals/{deal}/"), ("GET", "deals/{running}/"), ("GET", "deals/{deal}/proof/"),
    ("GET", "deals/{running}/proof/"), ("GET", "deals/{deal}/review/"), ("GET", "deals/{running}/review/"),
    ("GET", "deals/{deal}/rdn/"), ("GET", "deals/{running}/rdn/"),
    ("GET", "tables/{private}/sheet/"), ("GET", "tables/{practice}/sheet/"),
    ("POST", "tables/{private}/seats/"), ("POST", "tables/{practice}/seats/"), ("POST", "stakes/{withdrawn}/seats/"),
]  # fmt: skip
PAGES = [
    ("GET", "/history/{deal}/"), ("GET", "/history/{running}/"), ("POST", "/history/{deal}/share/"),
    ("GET", "/report/{deal}/"),
    ("POST", "/report/{deal}/"), ("GET", "/report/{running}/"), ("GET", "/tables/{private}/"),
    ("GET", "/tables/{practice}/"),
]  # fmt: skip


@dataclass
class Owned:
    """What belongs to others, by name, and the player who has no part in it."""

    ids: dict[str, Any]
    stranger: Player
    owner: Player


@pytest.fixture(scope="module")
def everything(django_db_setup: None, django_db_blocker: Any) -> Iterator[Owned]:
    """Make one of everything for all these tests."""
    with django_db_blocker.unblock(), rolled_back(), isolated_world() as world:
        yield _owned(world)


@pytest.fixture
def owned(everything: Owned, db: None) -> Iterator[Owned]:
    """Roll back what the test does."""
    cache.clear()
    with rolled_back():
        yield everything


def _owned(world: World) -> Owned:
    table = world.table()
    clients = [world.sit(table, amount=800) for _ in range(2)]
    world.deal(table)
    ask(to_move(clients), "drop")
    for client in clients:
        ask(client, "continue")
    while clients[0].view()["phase"] != "playing":
        world.deal(table)
    scored, running = Deal.objects.order_by("pk")
    assert (scored.status, running.status) == (Deal.Status.OVER, Deal.Status.PLAYING)
    ravi = signed_up("owner")
    stakes.open_private(stake_id=StakeFactory().pk, user=ravi)
    practice = stakes.practice(user=ravi, book_key="standard-points", players=3).table_id
    ids = {
        "deal": scored.pk, "running": running.pk, "private": Table.objects.exclude(private_code="").get().pk,
        "practice": practice, "withdrawn": StakeFactory(active=False).pk,
    }  # fmt: skip
    return Owned(ids, signed_up("stranger"), ravi)


def nothing(ids: dict[str, Any]) -> dict[str, Any]:
    return dict.fromkeys(ids, NOWHERE)


@pytest.mark.parametrize(("method", "path"), API)
def test_the_api_answers_for_rows_of_others_as_for_missing_ones(owned: Owned, method: str, path: str) -> None:
    program = Program(owned.stranger)
    theirs = program(method, path.format(**owned.ids), {} if method == "POST" else None)
    none = program(method, path.format(**nothing(owned.ids)), {} if method == "POST" else None)
    assert theirs == none
    assert (none[0], none[1]["code"]) == (404, "not_found")


@pytest.mark.parametrize(("method", "path"), PAGES)
def test_pages_answer_for_rows_of_others_as_for_missing_ones(owned: Owned, method: str, path: str) -> None:
    browser = browser_of(owned.stranger)
    theirs, none = (status_and_page(browser, method, path.format(**ids)) for ids in (owned.ids, nothing(owned.ids)))
    assert theirs == none
    assert none[0] == 404


def status_and_page(browser: Browser, method: str, path: str) -> tuple[int, str]:
    """Return status and page, without the parts that are new on every page."""
    answer = browser.generic(method, path)
    return answer.status_code, re.sub(r'(csrfmiddlewaretoken" value=|nonce=)"[^"]*"', "", answer.content.decode())


def test_the_owner_sees_their_rows(owned: Owned) -> None:
    """The refusals above are about the owner, not about addresses that answer nobody."""
    browser = browser_of(owned.owner)
    assert browser.get(f"/tables/{owned.ids['practice']}/").status_code == 200
    api = Program(owned.owner)
    assert api.get(f"tables/{owned.ids['practice']}/sheet/")[0] == 200


def test_lists_contain_only_own_rows_even_with_a_cursor_of_others(owned: Owned) -> None:
    for number in range(60):
        play_money.buy_in(seating=1_000 + number, user=owned.owner, currency="FUN", amount=1)
    following = Program(owned.owner).get("wallet/statement/")[1]["next"]
    stranger = Program(owned.stranger)
    assert "cursor=" in following
    for path in ("wallet/statement/", following.split("/api/")[1]):
        status, content = stranger.get(path)
        assert status == 200
        assert [row for row in content["results"] if row["reason"] != "sign_up"] == []
    assert stranger.get("history/")[1]["results"] == []


@pytest.mark.parametrize("path", ["finance/ledger/?player={}", "finance/ledger/?key={}", "finance/places/?match={}"])
def test_players_cannot_read_the_books_of_the_house(owned: Owned, path: str) -> None:
    stranger = Program(owned.stranger)
    theirs, none = (stranger.get(path.format(name)) for name in (owned.owner.username, "nobody"))
    assert theirs == none
    assert none[0] == 403
