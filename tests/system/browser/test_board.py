"""The board in the browser: it answers in place, and the focus stays where the next press is meant."""

from collections.abc import Callable
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.steps import become_somebody

pytestmark = pytest.mark.browser


def test_the_focus_and_what_is_folded_stay_while_the_board_answers(visitor: Callable[..., Page]) -> None:
    page = visitor(360, 740)
    become_somebody(page)
    page.goto(urljoin(page.url, "/board/"))
    page.get_by_text("Set up a position", exact=True).click()
    page.get_by_role("button", name="Deal it").click()
    draw, log = page.get_by_role("button", name="Draw from the closed deck"), page.locator(".board__log")
    expect(draw).to_be_focused()
    assert not log.evaluate("each => each.open") and page.locator(".board__set").evaluate("each => each.open")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Discard").first).to_be_focused()
    log.locator("summary").click()
    log.get_by_role("button", name="The first upcard is").click()
    expect(draw).to_be_visible()
    expect(log.locator("[aria-current] button")).to_be_focused()
    page.get_by_role("button", name="Apply").press("Enter")
    expect(page.locator("#board-page")).not_to_have_attribute("aria-busy", "true")
    expect(page.get_by_role("button", name="Apply")).to_be_focused()
    assert log.evaluate("each => each.open")
