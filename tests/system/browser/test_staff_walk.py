"""Each role of the staff follows every link that it is shown, as somebody would who wonders what it does.

Who may do everything sees every page drawn; what the others are shown is read without drawing it.
"""

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from playwright.sync_api import Page

from tests.support.platform import Platform
from tests.system.browser.steps import leave, pass_turn, practise, sign_up, wait_for_phase, wait_for_turn

pytestmark = pytest.mark.browser

STAFF = "run-thirteen"
#: Where staff have their work; what else is linked there is the players' site.
PLACES = ("/admin/", "/finance/")
#: Signs out, or would make whoever walks here wait for a download.
LEFT_OUT = re.compile(r"/logout/|/jsi18n/|/(download|file)/")
#: Of pages that differ in a number, or only in what is searched for, one is looked at.
ALIKE = re.compile(r"/\d+(?=/)")
LINKS = re.compile(r'<a\s[^>]*?href="([^"]*)"')


@pytest.fixture(scope="module")
def history(platform: Platform) -> list[str]:
    """Whom a walk has seen; there is one match that was played."""
    return []


@pytest.mark.parametrize("role", ["support", "operations", "finance", "staff"])
def test_every_link_that_a_role_is_shown_leads_to_a_page(
    role: str, visitor: Callable[..., Page], platform: Platform, history: list[str]
) -> None:
    if not history:
        history.append(play(visitor()))
    page = visitor()
    page.goto(platform.address + "/login/")
    page.get_by_label("Name", exact=True).fill(role)
    page.locator("input[type=password]").fill(STAFF)
    page.get_by_role("button", name="Sign in").click()
    visited = walk(page, platform.address + "/admin/", drawn=role == "staff")
    assert len(visited) > 12, visited
    wrong = [(path, status) for path, status in visited.items() if status != 200]
    assert wrong == []
    assert ("/finance/" in visited) == (role in {"finance", "staff"})
    assert ("/admin/tables/table/" in visited) == (role != "finance")


def play(page: Page) -> str:
    """Somebody new has played into a deal, and left."""
    name = sign_up(page)
    practise(page, computers=1)
    wait_for_phase(page, "playing")
    wait_for_turn(page)
    pass_turn(page)
    leave(page)
    return name


def walk(page: Page, start: str, *, drawn: bool) -> dict[str, int]:
    """The status of one of each kind of page that can be reached by links, by its path."""
    found: dict[str, int] = {}
    waiting = [start]
    while waiting:
        address = waiting.pop(0)
        kind = ALIKE.sub("/N", urlsplit(address).path)
        if kind in found or not kind.startswith(PLACES) or LEFT_OUT.search(kind):
            continue
        answer = page.goto(address) if drawn else page.request.get(address)
        assert answer is not None
        found[kind] = answer.status
        links = map(unescape, LINKS.findall(answer.text()))
        waiting += [urldefrag(urljoin(answer.url, link)).url for link in links]
    return found
