"""Rules about the page itself: what lies face up, sorting, discards by player, melding and taking back."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.steps import (
    NARROW,
    WIDE,
    at_a_table,
    cards,
    drag,
    draw,
    lies_inside,
    middle,
    on_every_screen,
    place,
    settle,
    submit,
    wait_for_phase,
)

pytestmark = pytest.mark.browser


def test_the_piles_show_what_everybody_may_see(visitor: Callable[..., Page]) -> None:
    """The cut joker lies face up under the closed deck, the top discard face up, the closed deck face down."""
    page = visitor()
    at_a_table(page)
    cut = page.locator("#closed .under")
    expect(cut).to_be_visible()
    joker = cut.get_attribute("data-card")
    assert joker and re.fullmatch(r"(10|[2-9AJQK])[CDHS]\d|JR\d", joker)
    expect(page.locator("#open [data-card]").last).to_be_visible()
    assert page.locator("#closed [data-card]").count() == 1, "nothing of the closed deck is known to the page"
    page.locator("#tool-menu").click()
    with page.expect_popup() as opened:
        page.locator("dialog[open] .menu-row", has_text="Rules of this game").click()
    assert opened.value.url.endswith("/how-to-play/standard-points/"), "the rules of this very table are one tap away"
    expect(opened.value.get_by_role("heading", level=1)).to_contain_text("Points Rummy")


def test_the_hand_is_sorted_once_a_deal_and_discards_are_listed_by_player(visitor: Callable[..., Page]) -> None:
    page = visitor()
    at_a_table(page)
    sort = page.get_by_role("button", name="Sort", exact=True)
    sort.click()
    expect(sort).to_be_disabled()
    settle(page)
    plain = [card for card in cards(page) if not card.startswith("JR")]
    places = ["A23456789TJQK".index(card.replace("10", "T")[0]) + 13 * "CDHS".index(card[-2]) for card in plain]
    assert places == sorted(places), "suit by suit, ascending, wild cards in their own places"
    assert all(card.startswith("JR") for card in cards(page)[len(plain) :]), "printed jokers apart"
    assert draw(page)
    card = cards(page)[-1]
    drag(page, card, place(page, "#open"))
    expect(page.locator(f"#hand [data-card='{card}']")).to_have_count(0)
    page.get_by_role("button", name="Discards by player").click()
    mine = page.locator("#drawer section", has=page.get_by_role("heading", name=re.compile("^You")))
    expect(mine.locator(f"[data-card='{card}']")).to_be_visible()
    expect(page.locator("#drawer section", has=page.get_by_role("heading", name=re.compile("^Upcard")))).to_be_visible()


def test_thirteen_cards_are_shown_before_drawing_where_the_book_allows_it(visitor: Callable[..., Page]) -> None:
    """By the button or on the finish slot, on the first turn alone; no card goes there."""
    page = visitor(*NARROW)
    at_a_table(page, book="lives-drop-points")
    expect(page.locator("#status")).to_have_text("Your turn: draw or show")
    page.locator("#finish").click()
    expect(page.get_by_role("heading", name="Show without drawing?")).to_be_visible()
    page.locator("dialog[open]").get_by_role("button", name="Not yet").click()
    page.get_by_role("button", name="Show", exact=True).click()
    page.locator("dialog[open]").get_by_role("button", name="Show", exact=True).click()
    wait_for_phase(page, "melding")
    expect(page.locator("#hand [data-card]")).to_have_count(13)
    for _ in on_every_screen(page, WIDE, NARROW, dealt=True):
        assert lies_inside(page) == []
    submit(page)
    wait_for_phase(page, "result")
    expect(page.locator("#panel")).to_contain_text("Wrong show")


def test_groups_are_melded_and_taken_back(visitor: Callable[..., Page]) -> None:
    """All groups at once or chosen cards go into the boxes; one box or all of them come back; then the player
    submits."""
    page = visitor()
    at_a_table(page)
    assert draw(page)
    page.get_by_role("button", name="Sort", exact=True).click()
    settle(page)
    page.mouse.click(*middle(page, cards(page)[-1]))
    page.get_by_role("button", name="Finish", exact=True).click()
    page.locator("dialog[open]").get_by_role("button", name="Finish", exact=True).click()
    expect(page.locator("#boxes")).to_be_visible()
    full = page.locator("#boxes .box.is-full")
    expect(full).not_to_have_count(0)
    count = full.count()
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(full).to_have_count(0)
    page.get_by_role("button", name="Meld all").click()
    expect(full).to_have_count(count)
    settle(page)
    card = cards(page)[0]
    assert lies_in(page, card, "#boxes")
    drag(page, card, place(page, "#hand-region"))
    settle(page)
    assert not lies_in(page, card, "#boxes"), "dragged out of its box a card is in the hand again"
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(full).to_have_count(0)
    settle(page)
    for card in cards(page)[:3]:
        page.mouse.click(*middle(page, card))
    page.get_by_role("button", name="Meld", exact=True).click()
    expect(full).to_have_count(1)
    page.get_by_role("button", name="Submit").first.click()
    page.locator("dialog[open]").get_by_role("button", name="Submit").click()
    wait_for_phase(page, "result")
    expect(page.locator("#panel")).to_contain_text("Wrong show")


@pytest.mark.parametrize("touch", [False, True])
def test_one_box_is_taken_back_by_a_tap_or_by_keys(visitor: Callable[..., Page], touch: bool) -> None:
    """Tapping a box anywhere returns its group, and no other, to the hand; keys on its label do the same."""
    page = visitor(360, 640, has_touch=True, is_mobile=True) if touch else visitor()
    at_a_table(page)
    assert draw(page)
    for first in (0, 3, 6):
        for card in cards(page)[first : first + 3]:
            page.mouse.click(*middle(page, card))
        page.keyboard.press("g")
        settle(page)
    page.mouse.click(*middle(page, cards(page)[-1]))
    page.get_by_role("button", name="Finish", exact=True).click()
    page.locator("dialog[open]").get_by_role("button", name="Finish", exact=True).click()
    full = page.locator("#boxes .box.is-full")
    expect(full).to_have_count(3)
    settle(page)
    first, second, third = (cards(page)[at : at + 3] for at in (0, 3, 6))
    press = page.touchscreen.tap if touch else page.mouse.click

    press(*middle(page, second[0]))
    expect(full).to_have_count(2)
    settle(page)
    assert not any(lies_in(page, card, "#boxes") for card in second)
    assert all(lies_in(page, card, "#boxes") for card in (*first, *third))
    expect(page.locator("#hand [aria-pressed=true]")).to_have_count(0)

    box = page.locator(".tray.is-boxed").first.bounding_box()
    assert box is not None
    press(box["x"] + 3, box["y"] + 3)
    expect(full).to_have_count(1)
    settle(page)
    assert not any(lies_in(page, card, "#boxes") for card in (*first, *second))

    page.locator(".tray.is-boxed .tray-label").focus()
    page.keyboard.press("Enter")
    expect(full).to_have_count(0)
    expect(page.locator(f"#hand [data-card='{third[0]}']")).to_be_focused()


def lies_in(page: Page, card: str, selector: str) -> bool:
    """Return whether the middle of the card is inside this part of the page."""
    (x, y), box = middle(page, card), page.locator(selector).bounding_box()
    return box is not None and box["x"] <= x <= box["x"] + box["width"] and box["y"] <= y <= box["y"] + box["height"]
