"""Somebody who watches a table one deal behind, from the lobby on, on a phone and with keys alone."""

from collections.abc import Callable
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.support.platform import Platform
from tests.system.browser.axe import faults
from tests.system.browser.steps import NARROW, WIDE, drop, on_turn, pass_turn, post, prefer, sign_up, wait_for_phase

pytestmark = pytest.mark.browser

#: A stake of this test alone, so that its first deal is the first of the table; nobody is hurried.
STAKE = """
from lobby.models import Stake
clocks = dict(turn_seconds=120, extra_seconds=120, result_seconds=120)
print(Stake.objects.create(title="Watched", book="standard-points", seats=2, point_value=1, **clocks).pk)
"""


def test_a_watcher_comes_from_the_lobby_waits_and_sees_the_deal_with_all_hands(
    visitor: Callable[..., Page], platform: Platform
) -> None:
    one, other, watcher = visitor(), visitor(), visitor(*NARROW, color_scheme="dark")
    for page in (one, other, watcher):
        sign_up(page)
    stake = int(platform.run_code(STAKE))
    [table] = {post(page, f"/api/stakes/{stake}/seats/")["table"] for page in (one, other)}
    for page in (one, other):
        page.goto(urljoin(page.url, f"/tables/{table}/"))
    wait_for_phase(one, "playing")

    watcher.goto(urljoin(watcher.url, "/?family=points&seats=2"))
    row = watcher.locator(f"#open-table-{table}")
    watcher.locator(".stake", has=row).locator("summary").first.click()
    row.get_by_role("link", name="Watch").click()
    expect(watcher.get_by_role("heading", name="No deal is over yet")).to_be_visible()
    expect(watcher.get_by_text("Deal 1 is being played.")).to_be_visible()
    assert watcher.locator(".card:not(.is-back)").count() == 0
    assert faults(watcher) == []

    pass_turn(on_turn(one, other))
    drop(on_turn(one, other))
    expect(watcher.get_by_role("heading", name="Deal 1, with all hands open")).to_be_visible()
    expect(watcher.locator("#hands .card")).to_have_count(26)
    expect(watcher.get_by_role("heading", name="Result of deal 1")).to_be_visible()
    watcher.keyboard.press("Home")
    expect(watcher.locator("#place")).to_contain_text("Step 1 of")
    expect(watcher.locator("#behind")).to_be_visible()
    watcher.keyboard.press("End")
    expect(watcher.locator("#behind")).to_be_hidden()
    hindi = {"name": "django_language", "value": "hi", "url": platform.address}
    for screen, scheme, cookies in (
        (NARROW, "dark", []),
        (NARROW, "light", [hindi]),
        ((820, 1180), "dark", [hindi]),
        (WIDE, "light", []),
    ):
        watcher.set_viewport_size({"width": screen[0], "height": screen[1]})
        prefer(watcher, scheme)
        watcher.context.clear_cookies(name="django_language")
        watcher.context.add_cookies(cookies)
        watcher.reload()
        expect(watcher.locator("#hands .card")).to_have_count(26)
        assert faults(watcher) == [], (screen, scheme, cookies)
        assert watcher.evaluate("document.documentElement.scrollWidth") <= screen[0]
