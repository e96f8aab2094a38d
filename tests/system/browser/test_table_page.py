"""The table page by mouse, by touch and by keys alone, against the real platform."""

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.platform import Platform
from tests.system.browser.axe import faults
from tests.system.browser.steps import (
    NARROW,
    at_a_table,
    cards,
    drag,
    draw,
    drop,
    lies_inside,
    middle,
    place,
    settle,
    wait_for_phase,
)

pytestmark = pytest.mark.browser
#: The properties that are on their way from one value to another at this moment.
TRANSITIONS = "() => document.getAnimations().flatMap((each) => each.transitionProperty ?? [])"


def groups(page: Page) -> list[dict[str, Any]]:
    """Return the groups on screen: their labels, and whether the server has judged them."""
    labels = page.locator("#hand .tray-label").all_inner_texts()
    return [{"label": label} for label in labels if label not in ("Loose", "")]


def test_cards_are_grouped_and_dragged_and_lie_the_same_after_a_reload(visitor: Callable[..., Page]) -> None:
    page = visitor()
    at_a_table(page)
    first, second, third, fourth = cards(page)[:4]
    for card in (first, second, third):
        page.mouse.click(*middle(page, card))
        assert page.evaluate(TRANSITIONS) == [], "where motion is reduced, nothing comes to its place a frame late"
    page.get_by_role("button", name="Group", exact=True).click()
    settle(page)
    assert len(groups(page)) == 1
    # Until the server has judged the group, dots stand there.
    expect(page.locator("#hand .tray-label", has_text="…")).to_have_count(0)
    drag(page, fourth, middle(page, first))
    settle(page)
    grouped = cards(page)[:4]
    assert set(grouped) == {first, second, third, fourth}
    drag(page, fourth, place(page, "#verdict"))
    settle(page)
    assert len(groups(page)) == 2, "let go over the strip a card makes a group of its own"
    before = cards(page)
    page.reload()
    wait_for_phase(page, "playing")
    expect(page.locator("#hand [data-card]")).to_have_count(13)
    assert cards(page)[:4] == before[:4]


def test_a_card_dragged_to_the_open_pile_is_discarded(visitor: Callable[..., Page]) -> None:
    page = visitor()
    at_a_table(page)
    assert draw(page)
    card = cards(page)[-1]
    drag(page, card, place(page, "#open"))
    expect(page.locator(f"#hand [data-card='{card}']")).to_have_count(0)
    expect(page.locator("#hand [data-card]")).not_to_have_count(14)


def test_a_table_that_waits_for_its_player_comes_to_rest(visitor: Callable[..., Page]) -> None:
    page = visitor(reduced_motion="no-preference")
    at_a_table(page, unhurried=False)
    expect(page.locator("#own-seat .ring.is-running")).to_be_visible()
    # What can be drawn from beckons for some seconds; the ring goes on without anything that moves between two beats.
    page.wait_for_function("() => document.getAnimations().length === 0")
    expect(page.locator("#own-seat .ring.is-running")).to_be_visible()
    expect(page.locator(".pile.can-take")).not_to_have_count(0)


def test_a_finger_drags_as_well_as_a_mouse(visitor: Callable[..., Page]) -> None:
    page = visitor(360, 640, has_touch=True, is_mobile=True)
    at_a_table(page)
    page.touchscreen.tap(*place(page, "#closed"))
    expect(page.locator("#hand [data-card]")).to_have_count(14)
    settle(page)
    card = cards(page)[-1]
    session = page.context.new_cdp_session(page)
    (x, y), (to_x, to_y) = middle(page, card), place(page, "#open")
    steps = [(x + (to_x - x) * part / 6, y + (to_y - y) * part / 6) for part in range(7)]
    for number, (at_x, at_y) in enumerate(steps):
        kind = "touchMove" if number else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at_x, "y": at_y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator(f"#hand [data-card='{card}']")).to_have_count(0)


#: Keeps every text that the live region ever had, and all that had the focus: more may follow before a test looks.
LISTEN = """
window.heard = [];
window.stood = [];
document.addEventListener("focusin", (event) => window.stood.push(event.target.dataset.card ?? event.target.id));
const live = document.getElementById("live");
const listener = new MutationObserver(() => window.heard.push(live.textContent));
listener.observe(live, {childList: true, characterData: true, subtree: true});
"""


def test_a_turn_is_played_by_keys_alone_and_told_to_those_who_listen(visitor: Callable[..., Page]) -> None:
    page = visitor()
    at_a_table(page)
    page.evaluate(LISTEN)
    expect(page).to_have_title(re.compile("^Your turn · "))
    page.keyboard.press("c")
    expect(page.locator("#hand [data-card]")).to_have_count(14)
    # From wherever the keyboard stands: who was here when the cards were dealt stands on one of them.
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    expect(page.locator("#hand [data-card]").first).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.locator("#hand [aria-pressed=true]")).to_have_count(2)
    page.keyboard.press("g")
    expect(page.locator("#hand .tray-label").first).to_contain_text("Not yet")
    page.wait_for_function("() => window.heard.some(text => text.startsWith('Group 1: Not yet'))")
    page.keyboard.press("ArrowLeft")
    card = page.locator("#hand [data-card]:focus").get_attribute("data-card")
    order = cards(page)
    beside = [*order, order[-2]][order.index(str(card)) + 1]
    page.keyboard.press("d")
    expect(page.locator(f"#hand [data-card='{card}']")).to_have_count(0)
    page.wait_for_function("() => window.heard.some(text => /You discarded .+[.]/.test(text))")
    page.wait_for_function("card => window.stood.includes(card)", arg=beside)
    assert any("You drew" in text for text in page.evaluate("window.heard"))
    page.keyboard.press("?")
    expect(page.locator("dialog[open]")).to_contain_text("draw from the closed deck")


def test_the_keyboard_comes_back_to_the_card_and_reads_every_window(visitor: Callable[..., Page]) -> None:
    page = visitor(*NARROW)
    at_a_table(page)
    hand = page.locator("#hand [data-card]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    expect(hand.last).to_be_focused()
    page.keyboard.press("Home")
    expect(hand.first).to_be_focused()
    page.keyboard.press("p")
    expect(page.locator("#drawer button")).to_be_focused()
    page.keyboard.press("Escape")
    expect(hand.first).to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("dialog[open]")).to_be_visible()
    assert faults(page) == []
    page.keyboard.press("Escape")
    expect(hand.first).to_be_focused()


def test_the_keyboard_is_not_lost_on_a_button_that_goes_dead_or_away(visitor: Callable[..., Page]) -> None:
    page = visitor()
    at_a_table(page)
    card, button = page.locator("#hand [data-card]:focus"), page.locator("#actions button:focus")
    for act in ("sort", "group", "undo"):
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Space")
        page.locator(f"#act-{act}").focus()
        page.keyboard.press("Enter")
        expect(page.locator(f"#act-{act}:enabled")).to_have_count(int(act == "undo"))
        expect(button if act == "undo" else card).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#act-undo")).to_have_count(0)
    expect(card).to_have_count(1)
    drop(page)
    wait_for_phase(page, "result")
    page.locator("#hide-result").focus()
    page.keyboard.press("Enter")
    expect(button).to_have_count(1)
    page.locator("#act-result").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel-continue")).to_be_focused()


def test_the_keyboard_stands_at_the_cards_of_the_next_deal(visitor: Callable[..., Page]) -> None:
    page = visitor()
    at_a_table(page)
    drop(page)
    wait_for_phase(page, "result")
    expect(page.locator("#panel-continue")).to_be_focused()
    page.evaluate(LISTEN)
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => window.stood.some(each => each === 'closed' || document.getElementById(`card-${each}`))"
    )


def test_finishing_asks_first_and_a_wrong_show_can_be_thought_over(visitor: Callable[..., Page]) -> None:
    page = visitor()
    at_a_table(page)
    assert draw(page)
    card = cards(page)[-1]
    drag(page, card, place(page, "#finish"))
    question = page.locator("dialog[open]")
    expect(question).to_contain_text("Finish with this card?")
    expect(question).to_contain_text("not a valid show. There is no pure sequence. 13 cards lie in no group.")
    expect(question).to_contain_text("A wrong show costs you 80 points, 80 chips.")
    expect(question.get_by_role("button", name="Not yet")).to_be_focused()
    assert faults(page) == []
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("#hand [data-card]")).to_have_count(14)
    page.mouse.click(*middle(page, card))
    page.get_by_role("button", name="Finish", exact=True).click()
    page.locator("dialog[open]").get_by_role("button", name="Finish", exact=True).click()
    expect(page.locator("#boxes")).to_be_visible()
    assert faults(page) == []
    page.get_by_role("button", name="Submit").first.click()
    expect(page.locator("dialog[open]")).to_contain_text("Submit like this?")
    expect(page.locator("dialog[open]")).to_contain_text("There is no pure sequence.")
    expect(page.locator("dialog[open]")).to_contain_text("No arrangement of these cards is a valid show.")
    expect(page.get_by_role("button", name="Not yet")).to_be_focused()
    expect(page.locator("dialog[open]").locator(".is-grave, .is-wrong")).to_have_count(0)
    page.evaluate(LISTEN)
    page.locator("dialog[open]").get_by_role("button", name="Submit", exact=True).click()
    wait_for_phase(page, "result")
    expect(page.locator("#panel")).to_contain_text("Wrong show")
    expect(page.locator("#panel-continue")).to_be_focused()
    assert faults(page) == []
    page.wait_for_function("() => window.heard.some(text => text.includes('You have 80 points and pay 80 chips.'))")


def test_five_cards_in_a_box_can_be_read_on_a_small_screen(visitor: Callable[..., Page]) -> None:
    """In portrait and in landscape: no card hides the index of the one below it, and none sticks out."""
    page = visitor(360, 640)
    at_a_table(page)
    assert draw(page)
    order = cards(page)
    for first, last in ((0, 5), (5, 10), (10, 13)):
        for card in order[first:last]:
            page.mouse.click(*middle(page, card))
        page.keyboard.press("g")
        settle(page)
    page.mouse.click(*middle(page, cards(page)[-1]))
    page.keyboard.press("f")
    page.locator("dialog[open]").get_by_role("button", name="Finish", exact=True).click()
    expect(page.locator("#boxes .box.is-full")).to_have_count(3)
    expect(page.locator(".tray.is-boxed .tray-label").first).to_be_focused()
    for width, height in ((360, 640), (740, 360)):
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        boxes = [page.locator(f"#hand [data-card='{card}']").bounding_box() for card in cards(page)[:5]]
        assert all(box is not None and box["width"] > 36 for box in boxes)
        for left, right in itertools.pairwise(filter(None, boxes)):
            assert right["x"] - left["x"] > 0.4 * left["width"]
        assert lies_inside(page) == []


def act_as_staff(platform: Platform, service: str, table: str) -> None:
    """Freeze or resume the table as staff."""
    script = f"""
from tables import staff
from wallet.audit_log.services import PLATFORM
staff.{service}(table_id={table}, reason="A test of the stop.", actor=PLATFORM)
"""
    platform.run_code(script)


def test_a_stopped_table_says_so_calmly_and_goes_on_by_itself(visitor: Callable[..., Page], platform: Platform) -> None:
    """The player can only go to the lobby meanwhile; the page notices the end by itself."""
    page = visitor(360, 640)
    at_a_table(page)
    table = page.url.rstrip("/").split("/")[-1]
    act_as_staff(platform, "freeze_table", table)
    banner = page.locator("#link-banner")
    expect(banner).to_contain_text("This table is stopped for a while")
    expect(banner).to_contain_text("Your chips are safe")
    expect(page.locator(".toast")).to_have_count(0)
    expect(page.locator("#closed")).to_be_disabled()
    expect(page.locator("#actions button")).to_have_count(0)
    expect(page.locator("#status")).to_have_text("The table is stopped")
    expect(page.locator("#hand [data-card]")).to_have_count(13)
    page.reload()
    expect(banner).to_contain_text("This table is stopped for a while")
    expect(banner.get_by_role("link", name="To the lobby")).to_be_visible()
    assert lies_inside(page) == []
    act_as_staff(platform, "resume_table", table)
    expect(banner).to_be_hidden()
    expect(page.locator("#closed")).to_be_enabled()
    page.locator("#closed").click()
    expect(page.locator("#hand [data-card]")).to_have_count(14)


def test_the_clock_runs_by_the_servers_time_whatever_this_machine_thinks(visitor: Callable[..., Page]) -> None:
    page = visitor()
    page.add_init_script("const real = Date.now; Date.now = () => real() + 5 * 3600e3;")
    at_a_table(page, unhurried=False)
    # All places that show the clock are written at once, though only some are seen.
    handle = page.wait_for_function("() => document.querySelector('[data-clock-text]').textContent")
    assert 0 < int(handle.json_value()) <= 30, "neither a turn nor its extra time is longer"


def test_a_refusal_is_shown_in_the_servers_words(visitor: Callable[..., Page]) -> None:
    """Seven groups are one too many; the page does not know that, so the server's message is shown."""
    page = visitor()
    at_a_table(page)
    for number in range(7):
        loose = cards(page)[number]
        page.mouse.click(*middle(page, loose))
        page.keyboard.press("g")
        settle(page)
    expect(page.locator(".toast")).to_contain_text(re.compile("group", re.IGNORECASE))
    assert len(groups(page)) == 6, "and the cards lie as the server has them"
