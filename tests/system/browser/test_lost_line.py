"""The table page on a connection that goes dead without a word."""

import asyncio
import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.platform import Platform
from tests.support.proxy import Proxy
from tests.system.browser.steps import at_a_table, cards, die, practise, sign_up, stop_time, wait_for_turn

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


#: The sockets that the page opens from now on.
COUNT_SOCKETS = """() => {
    window.opened = 0;
    window.WebSocket = class extends WebSocket {
        constructor(...where) {
            super(...where);
            window.opened += 1;
        }
    };
}"""


def test_a_dead_line_is_replaced_within_twelve_seconds(visitor: Callable[..., Page], line: Proxy) -> None:
    """The seconds are the page's, which pass as fast as it counts them."""
    page = visitor(timed=True)
    page.goto(line.address)
    sign_up(page)
    practise(page, 1)
    wait_for_turn(page)
    page.evaluate(WATCH_THE_BANNER)
    page.evaluate(COUNT_SOCKETS)
    stop_time(page)
    for each in list(line.lines):
        each.silent = True
    seconds = 0
    while not page.evaluate("window.opened") and seconds < 20:
        page.clock.run_for(1_000)
        seconds += 1
    assert seconds <= 13, "twelve seconds, and the first pause before coming back"
    assert page.evaluate("window.lineWasLost"), "it said so meanwhile"
    page.clock.resume()
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


#: The platform comes back while the test still waits for its pages, and a message is gone after six seconds.
NOTE_THE_MESSAGES = """() => {
    window.messages = [];
    const note = (changes) => window.messages.push(...changes.flatMap((change) =>
        [...change.addedNodes].map((node) => node.textContent)));
    new MutationObserver(note).observe(document.getElementById("toasts"), {childList: true});
}"""
BACK_AGAIN = r"""() => window.messages.some((text) =>
    /^The platform was away for \d+ seconds\. Your cards are safe, and the clock got that time back\.$/.test(text))"""


def test_whoever_is_to_move_when_the_platform_dies_reads_so_and_is_soon_back(
    visitor: Callable[..., Page], platform: Platform
) -> None:
    page = visitor()
    at_a_table(page, unhurried=False)
    hand = cards(page)
    page.evaluate(NOTE_THE_PAUSES)
    page.evaluate(NOTE_THE_MESSAGES)
    die(platform, page)
    expect(page.locator("#link-banner")).to_contain_text("Your cards and chips are safe")
    page.wait_for_function("() => window.pauses.length >= 8", timeout=60_000)
    assert max(page.evaluate("window.pauses")) < 1_000
    platform.start()
    page.wait_for_function(BACK_AGAIN, timeout=60_000)
    expect(page.locator("#link-banner")).to_be_hidden()
    assert sorted(cards(page)) == sorted(hand)
    expect(page.locator("#closed")).to_be_enabled()
