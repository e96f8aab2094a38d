"""The table page on a connection that goes dead without a word."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.support.platform import Platform
from tests.support.proxy import Proxy
from tests.system.browser.steps import at_a_table, cards, practise, sign_up, wait_for_phase

pytestmark = [pytest.mark.browser, pytest.mark.slow]

#: The banner may be seen for less time than lies between two looks of the test.
WATCH_THE_BANNER = """() => {
    const banner = document.getElementById("link-banner");
    new MutationObserver(() => { window.lineWasLost ||= !banner.hidden; }).observe(banner, {attributes: true});
}"""


@pytest.fixture
def line(platform: Platform) -> Iterator[Proxy]:
    """Run a proxy between browser and server, in a loop of its own."""
    ready, done, found = threading.Event(), threading.Event(), []

    async def stand_between() -> None:
        async with Proxy([platform.port]) as proxy:
            found.append(proxy)
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(stand_between()), daemon=True)
    thread.start()
    assert ready.wait(10)
    yield found[0]
    done.set()
    thread.join(10)


def test_a_dead_line_is_replaced_within_twelve_seconds(visitor: Callable[..., Page], line: Proxy) -> None:
    page = visitor()
    page.goto(line.address)
    sign_up(page)
    practise(page, 1)
    wait_for_phase(page, "playing")
    page.evaluate(WATCH_THE_BANNER)
    opened: list[WebSocket] = []
    page.on("websocket", lambda socket: opened.append(socket))
    for each in list(line.lines):
        each.silent = True
    began = time.monotonic()
    while not opened and time.monotonic() - began < 20:
        page.wait_for_timeout(100)
    assert time.monotonic() - began <= 13, "twelve seconds, and the first pause before coming back"
    assert page.evaluate("window.lineWasLost"), "it said so meanwhile"
    expect(page.locator("#link-banner")).to_be_hidden()


#: The pauses between two tries to connect, in ms.
NOTE_THE_PAUSES = """() => {
    const wait = window.setTimeout;
    window.pauses = [];
    window.setTimeout = (call, ms, ...rest) => {
        if (String(call).includes("connect")) window.pauses.push(ms);
        return wait(call, ms, ...rest);
    };
}"""


def test_whoever_is_to_move_when_the_platform_dies_reads_so_and_is_soon_back(
    visitor: Callable[..., Page], platform: Platform
) -> None:
    page = visitor()
    at_a_table(page, unhurried=False)
    hand = cards(page)
    page.evaluate(NOTE_THE_PAUSES)
    platform.kill()
    expect(page.locator("#link-banner")).to_contain_text("Your cards and chips are safe")
    page.wait_for_function("() => window.pauses.length >= 8", timeout=60_000)
    platform.start()
    expect(page.locator("#toasts")).to_contain_text(
        "Your cards are safe, and the clock got that time back", timeout=60_000
    )
    expect(page.locator("#toasts")).to_contain_text("The platform was away for")
    expect(page.locator("#link-banner")).to_be_hidden()
    assert max(page.evaluate("window.pauses")) < 1_000
    assert sorted(cards(page)) == sorted(hand)
    expect(page.locator("#closed")).to_be_enabled()
