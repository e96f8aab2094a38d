"""The doors of the product: each is pressed, and leads where it says."""

import re
from collections.abc import Callable
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.axe import faults
from tests.system.browser.steps import (
    NARROW,
    at_a_table,
    become_somebody,
    draw,
    end_the_deal,
    friends_table,
    leave,
    lie_still,
    on_turn,
    post,
    show_nothing,
    wait_for_phase,
)

pytestmark = pytest.mark.browser


def test_two_people_play_a_match_to_its_end_and_then_again_together(visitor: Callable[..., Page]) -> None:
    pages = [visitor(), visitor(*NARROW)]
    friends_table(*pages, book="standard-deals-3", deals=1, entry=100)
    before = pages[0].url
    show_nothing(on_turn(*pages))
    for page in pages:
        wait_for_phase(page, "over")
    for page in pages:
        page.get_by_role("button", name="Play again together").click()
        page.wait_for_url(lambda url: bool(re.search(r"/tables/\d+/$", url)) and url != before)
    assert pages[0].url == pages[1].url
    for page in pages:
        wait_for_phase(page, "starting", "playing")


def test_a_friend_without_an_account_comes_from_the_link_to_a_seat(visitor: Callable[..., Page]) -> None:
    """By "Play as guest"; and whoever has an account, by "Sign in", to the same page."""
    host, guest = visitor(), visitor(*NARROW)
    name = become_somebody(host)
    code = post(host, "/api/private/", book="standard-pool-101", entry=100, seats=2)["code"]
    table = post(host, f"/api/private/{code}/seats/")["table"]
    host.goto(urljoin(host.url, f"/tables/{table}/"))
    host.get_by_role("button", name="Invite friends").click()
    window = host.locator("dialog[open]")
    assert window.locator("img").evaluate("each => each.decode().then(() => each.naturalWidth)") > 0
    assert faults(host) == []
    guest.goto(window.get_by_label("Link to the table").input_value())
    expect(guest.get_by_role("heading", level=1)).to_have_text(f"{name} invites you to Pool Rummy 101")
    assert faults(guest) == []
    guest.get_by_role("link", name="Sign in").last.click()
    expect(guest.get_by_label("Name", exact=True)).to_be_visible()
    guest.go_back()
    guest.get_by_role("button", name="Play as guest").click()
    guest.get_by_role("button", name="sit down").click()
    guest.wait_for_url("**/tables/*/")
    wait_for_phase(guest, "starting", "playing")


def test_who_was_seated_out_keeps_the_result_and_sits_down_again(visitor: Callable[..., Page]) -> None:
    pages = [visitor(), visitor(*NARROW)]
    friends_table(*pages, book="standard-points", result_seconds=5)
    show_nothing(on_turn(*pages))
    for page in pages:
        panel = page.locator("#panel")
        expect(panel).to_contain_text("You were seated out")
        expect(panel.locator(".result-why").first).to_be_visible()
        assert faults(page) == []
        panel.get_by_role("button", name="Sit down again").click()
        expect(page.locator("#own-seat")).to_be_visible()
    for page in pages:
        wait_for_phase(page, "playing")


def test_after_the_first_deal_a_guest_is_led_on(visitor: Callable[..., Page]) -> None:
    """From the result to a name; from the home page to the review, and to where people wait, outside any fold."""
    page = visitor(*NARROW)
    page.goto(urljoin(page.url, "/"))
    expect(page.get_by_role("heading", name="Play with friends")).to_be_visible()
    page.get_by_role("button", name="Play now").click()
    page.wait_for_url("**/tables/*/")
    wait_for_phase(page, "playing", "melding")
    end_the_deal(page)
    keep = page.get_by_role("link", name="Keep this: choose a name")
    expect(keep).to_be_visible()
    assert faults(page) == []
    leave(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("ell played")
    for heading in ("Waiting for company", "Practice", "Play with friends"):
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    assert faults(page) == []
    page.get_by_role("link", name="Look at your last deal").click()
    expect(page.locator("#turns")).to_be_visible()
    page.go_back()
    page.get_by_role("main").get_by_role("link", name="Choose a name").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Choose a name")


def test_to_drop_and_leave_is_offered_where_it_is_cheaper(visitor: Callable[..., Page]) -> None:
    page = visitor()
    at_a_table(page)
    page.locator("#tool-leave").click()
    question = page.locator("dialog[open]")
    expect(question).to_contain_text("Leaving now costs you 80 points")
    assert faults(page) == []
    question.get_by_role("button", name="Drop for 20 and leave").click()
    page.wait_for_url(lambda url: "/tables/" not in url)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Well played.")
    page.get_by_role("link", name="Look at your last deal").click()
    expect(page.locator(".outcome--dropped")).to_be_visible()


#: What the hint of a first deal covers of the table.
COVERED = """() => {
    const box = (each) => each.getBoundingClientRect();
    const hint = box(document.querySelector("#hint"));
    const meets = (at) => at.left < hint.right && hint.left < at.right && at.top < hint.bottom && hint.top < at.bottom;
    const parts = document.querySelectorAll("#seats .avatar, #seats .plate, #piles > *, #hand .card, #actions button");
    return [...parts].filter((each) => meets(box(each))).map((each) => each.id || each.className);
}"""


def test_the_first_deal_teaches_with_the_cards_themselves(visitor: Callable[..., Page]) -> None:
    """The hint lifts the cards it speaks of, lays what they make, and hides nothing of the table on a phone."""
    page = visitor(*NARROW)
    page.goto(urljoin(page.url, "/"))
    page.get_by_role("button", name="Play now").click()
    page.wait_for_url("**/tables/*/")
    hint = page.locator("#hint")
    assert draw(page), "nobody ends this deal before the first turn"
    expect(hint).to_be_visible()
    lie_still(page)
    assert page.evaluate(COVERED) == []
    lifted = page.locator("#hand .is-hinted")
    expect(lifted.first).to_be_visible()
    expect(page.locator("#act-auto-drop")).to_have_count(0)
    assert faults(page) == []
    show_me = hint.get_by_role("button", name="Show me")
    if show_me.count():
        show_me.click()
        expect(show_me).to_have_count(0)
        expect(page.locator(".tray.is-pure").first).to_be_visible()
        expect(lifted).to_have_count(1)
        lie_still(page)
        assert page.evaluate(COVERED) == []
    # Where it shows: the next card may lie over its middle.
    lifted.click(position={"x": 8, "y": 40})
    page.get_by_role("button", name="Discard", exact=True).click()
    expect(page.locator("#hand [data-card]")).to_have_count(13)
    expect(lifted).to_have_count(0)
