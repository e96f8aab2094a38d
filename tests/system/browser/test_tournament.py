"""A knock-out of six, from the lobby's tab to the way through it: by keys, wide and narrow, in the light."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.platform import Platform
from tests.system.browser.axe import faults
from tests.system.browser.steps import (
    DEAL,
    NARROW,
    become_somebody,
    drop,
    phase,
    post,
    prefer,
    sign_up,
    submit,
    wait_for_phase,
    wait_for_turn,
)

pytestmark = pytest.mark.browser


def fits(page: Page) -> bool:
    """Check that nothing of the page stands beside the window."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def press(page: Page, name: str) -> None:
    """Press a button or a link as somebody without a mouse does."""
    found = page.get_by_role("button", name=name).or_(page.get_by_role("link", name=name)).first
    found.focus()
    found.press("Enter")


def test_a_knock_out_is_entered_played_and_looked_back_at(visitor: Callable[..., Page], platform: Platform) -> None:
    page, asker = visitor(*NARROW, color_scheme="light"), visitor()
    name = sign_up(page)
    become_somebody(asker)
    prefer(page, "light")
    press(page, "Tournaments")
    expect(page.get_by_role("heading", name="Begins soon")).to_be_visible()
    assert (faults(page), fits(page)) == ([], True)
    page.get_by_role("link", name="Quick six").first.press("Enter")
    expect(page.get_by_text("Finalists come before all others")).to_be_visible()
    assert (faults(page), fits(page)) == ([], True)
    # It begins half a minute after the first entry: no page but the lobby is loaded within that time.
    other, stranger = page.context.new_page(), visitor(*NARROW)
    for each in (other, stranger):
        each.goto(page.url)
    stranger.get_by_role("link", name="Sign up to enter").focus()
    press(page, "Enter for free")
    expect(page.get_by_role("button", name="Withdraw")).to_be_visible()
    assert name in page.locator("#places").inner_text()
    page.goto(platform.address + "/")
    withdraw = other.get_by_role("button", name="Withdraw")
    look_again(other)
    withdraw.focus()
    look_again(other)
    expect(withdraw).to_be_focused()

    called = page.locator("#tournament-call")
    expect(called).to_contain_text("Your table of the tournament is open.")
    expect(page).to_have_title(re.compile("Your table of the tournament is open"))
    post(asker, "/api/friends/", name=name)
    expect(page.locator(".news")).to_contain_text("asks you to be friends")
    expect(called).to_be_visible()
    expect(other.locator("#live").get_by_role("link", name="To your table")).to_be_focused()
    other.close()
    expect(stranger.get_by_role("link", name="Sign up to enter")).to_have_count(0)
    assert stranger.locator(".event-head").get_by_role("link").count() == 0, "nothing is left to do there"
    press(page, "To your table")
    expect(page.locator("#facts")).to_have_text(re.compile(r"Place \d/6 · deal 1/2 · round 1/1"))
    give_up_the_deal(page)
    expect(page.locator(".others .places__own")).to_contain_text(name)
    assert (faults(page), fits(page)) == ([], True)
    wait_for_phase(page, "playing")
    expect(page.locator("#facts")).to_contain_text("deal 2/2")
    give_up_the_deal(page)

    press(page, "To the tournament")
    expect(page.get_by_text("Over since")).to_be_visible()
    expect(page.locator(".way__deals a")).to_have_count(2)
    press(page, "Check the draw of round 1")
    expect(page.get_by_text("Checked in this browser")).to_be_visible()
    assert (faults(page), fits(page)) == ([], True)
    page.locator(".way__deals a").first.press("Enter")
    page.wait_for_url(re.compile(r"/history/\d+/"))


def look_again(page: Page) -> None:
    """Let a page of a tournament look at what has changed, as it does when somebody comes back to it."""
    with page.expect_response("**/now/"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def give_up_the_deal(page: Page) -> None:
    """Drop at the first turn, or submit where a computer player shows before it; wait for the end of the deal."""
    wait_for_turn(page)
    if phase(page) == "playing":
        drop(page)
    elif phase(page) == "melding":
        submit(page)
    page.wait_for_function("() => ['result', 'over'].includes(document.body.dataset.phase)", timeout=2 * DEAL)
    expect(page.locator("#panel")).to_be_visible()
