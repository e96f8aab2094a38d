"""A newcomer's first minutes, and what a table must withstand, in a real browser on the real platform."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.platform import Platform
from tests.system.browser.axe import faults
from tests.system.browser.steps import (
    NARROW,
    at_a_table,
    cards,
    die,
    drop,
    go_on,
    leave,
    lies_inside,
    on_every_screen,
    play_to_the_result,
    practise,
    show_nothing,
    sign_up,
    sign_up_by_the_form,
    wait_for_own_turn,
    wait_for_phase,
    wait_for_turn,
)
from tests.system.browser.walk import walk

pytestmark = pytest.mark.browser


#: The kinds of pages at which `test_every_evening` looks on more screens.
SEEN_EVERY_EVENING = (
    "^/(account/|board/|boards/|daily/|duplicate/|players/|history/N/(analysis/)?|study/puzzles/(next/|run/)?"
    "|tournaments/(how-they-work/|N/)?)$"
)


def test_sign_up_practise_play_a_deal_leave_and_find_every_chip(
    visitor: Callable[..., Page], platform: Platform
) -> None:
    page = visitor(reduced_motion="no-preference", service_workers="allow")
    sign_up_by_the_form(page)
    practise(page, computers=1)
    wait_for_own_turn(page)
    while not has_given_a_seed(page):  # a slow page may come after the cards are dealt
        play_to_the_result(page)
        go_on(page)
        wait_for_own_turn(page)
    assert len(cards(page)) == 13
    play_to_the_result(page)
    wait_for_phase(page, "result")
    expect(page.locator("#panel footer button").first).to_have_text("Play again")
    result = page.locator("#panel").inner_text()
    assert "80" in result or "points" in result.lower()
    leave(page)
    page.goto(platform.address + "/wallet/")
    expect(page.get_by_role("main")).to_contain_text("10,000 chips")
    expect(page.get_by_role("main")).not_to_contain_text("Took a seat")
    look_back(page, platform)
    starts = (platform.address + start for start in ("/", "/account/", "/offline/"))
    walked = walk(page, *starts, read=SEEN_EVERY_EVENING)
    assert walked.faults == []
    assert set(walked.status.values()) == {200}
    assert {"/history/N/", "/friends/", "/how-to-play/two-minutes/", "/account/care/"} < set(walked.status)
    page.goto(platform.address + "/api/docs/")
    page.locator(".opblock-summary-control").first.click()
    expect(page.locator(".responses-inner").first).to_be_visible()
    assert faults(page) == []


def has_given_a_seed(page: Page) -> bool:
    return bool(page.evaluate("localStorage.getItem('rummy.seeds')"))


def look_back(page: Page, platform: Platform) -> None:
    """Replay the deal by keys and buttons, open its review, and check its shuffle with the browser's own seed.

    A false proof, and one of another deal, must be refused.
    """
    page.goto(platform.address + "/history/")
    page.get_by_role("link", name="Look at it").first.click()
    expect(page.locator("#checked")).to_contain_text("gave a seed: both are the ones in the proof")
    expect(page.locator("#shoe summary")).to_contain_text("The shoe as it fell: 106 cards")
    expect(page.locator("#turns")).to_contain_text("Turn 1")
    expect(page.locator("#best")).to_contain_text("Your best arrangement")
    place, hands = page.locator("#place"), page.locator("#hands .card")
    expect(hands).to_have_count(26)
    page.keyboard.press("End")
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("ArrowLeft")
    text = page.locator("#told").inner_text()
    expect(page.locator("#log [aria-current]")).to_have_text(text)
    page.locator("#first").click()
    expect(place).to_contain_text("Step 1 of")
    page.locator("#play").click()
    expect(place).to_contain_text("Step 2 of")
    proof = page.request.get(platform.address + str(page.locator("body").get_attribute("data-proof"))).json()
    for false, sentence in (
        ({**proof, "upcard": proof["cut_joker"]}, "The upcard is not the one"),
        ({**proof, "client_seeds": ["00" * 16]}, "The seed that this browser gave is not part"),
        ({**proof, "deal": proof["deal"] + 1}, "not of deal"),
        (["nonsense"], "This is not a proof of a deal."),
    ):
        content = json.dumps(false).encode()
        page.locator("#proof-file").set_input_files({"name": "x.json", "mimeType": "text/json", "buffer": content})
        expect(page.locator("#checked")).to_contain_text(sentence)
        expect(page.locator("#checked .verdict--bad")).to_have_text("Refused")


def test_a_practice_match_waits_over_its_result_and_is_played_again(visitor: Callable[..., Page]) -> None:
    """Two lost deals end a match of three; no clock runs between them, and one tap starts another match."""
    page = visitor(360, 640)
    sign_up(page)
    practise(page, computers=1, book="standard-deals-3")
    table = page.url
    for deal in range(2):
        if deal:
            expect(page.locator(".panel-clock")).to_have_count(0)
            page.locator("#panel-continue").click()
        wait_for_phase(page, "playing", "melding")
        show_nothing(page)
        wait_for_phase(page, "result", "over")
    again = page.locator("#panel footer button").first
    expect(again).to_have_text("Play again")
    again.click()
    page.wait_for_url(lambda url: "/tables/" in url and url != table)
    wait_for_phase(page, "starting", "playing")


def test_a_refresh_in_the_middle_of_a_turn_brings_the_same_hand_back(visitor: Callable[..., Page]) -> None:
    """A phone that is turned meanwhile shows the whole hand."""
    page = visitor()
    at_a_table(page)
    page.locator("#closed").click()
    expect(page.locator("#hand [data-card]")).to_have_count(14)
    before = sorted(cards(page))
    page.reload()
    expect(page.locator("#hand [data-card]")).to_have_count(14)
    assert sorted(cards(page)) == before
    for width, height in on_every_screen(page, NARROW, (740, 360), NARROW):
        assert lies_inside(page) == [], f"turned to {width} x {height}"


def test_the_server_is_killed_in_the_middle_of_a_turn_and_the_page_finds_its_way_back(
    visitor: Callable[..., Page], platform: Platform
) -> None:
    page = visitor()
    at_a_table(page)
    before = sorted(cards(page))
    die(platform, page)
    expect(page.locator("#link-banner")).to_be_visible()
    assert sorted(cards(page)) == before, "the hand stays to be looked at"
    platform.start()
    expect(page.locator("#link-banner")).to_be_hidden()
    assert sorted(cards(page)) == before
    page.locator("#closed").click()
    expect(page.locator("#hand [data-card]")).to_have_count(14)


def test_a_second_tab_takes_the_seat_and_gives_it_back(visitor: Callable[..., Page]) -> None:
    """Both tabs are in the foreground all the time: each takes the seat back once, and then they rest."""
    page = visitor()
    sign_up(page)
    practise(page, computers=1)
    wait_for_turn(page)
    other = page.context.new_page()
    other.goto(page.url)
    wait_for_turn(other)
    again = page.get_by_role("button", name="Play here")
    expect(again).to_be_visible()
    again.click()
    expect(other.get_by_role("button", name="Play here")).to_be_visible()


def test_the_page_that_is_looked_at_takes_its_seat_back_once(visitor: Callable[..., Page]) -> None:
    page = visitor()
    sign_up(page)
    practise(page, computers=1)
    wait_for_turn(page)
    behind = page.context.new_page()
    behind.add_init_script("Document.prototype.hasFocus = () => false")
    behind.goto(page.url)
    again = behind.get_by_role("button", name="Play here")
    expect(again).to_be_visible()
    expect(page.locator("#link-banner")).to_be_hidden()
    again.click()
    expect(page.get_by_role("button", name="Play here")).to_be_visible()
    expect(behind.locator("#link-banner")).to_be_hidden()


#: A stake for two, before all others, on which nobody is hurried.
STAKE = """
from lobby.models import Stake
clocks = dict(full_seconds=1, turn_seconds=120, extra_seconds=120, result_seconds=20)
Stake.objects.create(title="Two friends", book="standard-points", seats=2, point_value=1, order=-9, **clocks)
"""


def test_two_people_in_two_browsers_play_each_other(visitor: Callable[..., Page], platform: Platform) -> None:
    platform.run_code(STAKE)
    pages = [visitor(reduced_motion="no-preference"), visitor(width=360, height=640, locale="hi-IN")]
    pages[1].evaluate("localStorage.setItem('table-settings', '{\"look\": \"light\"}')")
    for page in pages:
        sign_up(page)
        page.goto(page.url.split("?")[0] + "?family=points&seats=2")
        page.locator("a[data-sit]").first.click()
        page.locator("dialog[open] [data-submit]").click()
        page.wait_for_url("**/tables/*/")
    assert pages[0].url == pages[1].url
    for page in pages:
        wait_for_phase(page, "playing")
    become_friends(*pages)
    mover = next(page for page in pages if page.locator("#act-drop").count())
    mover.locator("#act-drop").click()
    mover.locator("dialog[open] .is-grave").click()
    pages[1].locator("#panel-continue").click()
    expect(pages[0].locator("#panel")).to_contain_text("Continue keeps your seat")
    for page in pages:
        assert faults(page) == []
    panel = pages[0].locator("#panel")
    expect(panel).to_contain_text("You were seated out")
    expect(panel).to_contain_text("chips are in your balance again")
    expect(panel.locator(".result-row")).to_have_count(3)
    assert faults(pages[0]) == []
    expect(pages[1].locator("#panel")).not_to_contain_text("आपकी सीट")
    with pages[0].expect_popup() as review:
        panel.get_by_role("link", name="Look at this deal").click()
    expect(review.value.locator("#turns")).to_be_visible()
    panel.get_by_role("button", name="Keep watching").click()
    expect(panel).to_be_hidden()
    pages[0].get_by_role("button", name="Sit down here").click()
    pages[0].locator("form[data-buy-in] .button--primary").click()
    pages[0].wait_for_url("**/tables/*/")
    for page in pages:
        wait_for_phase(page, "playing")


def become_friends(one: Page, other: Page) -> None:
    """Ask for friendship at the table, accept it in Hindi, send a message, and mute the new friend after all."""
    one.locator("#seats .seat-about").click()
    one.get_by_role("button", name="Ask to be friends").click()
    expect(one.locator("#toasts")).to_contain_text("You have asked to be friends.")
    expect(other.locator(".news .call")).to_be_visible()
    assert faults(other) == []
    other.locator(".news .call__yes").click()
    expect(other.locator(".news .call")).to_have_count(0)
    other.locator("#own-seat .seat-about").click()
    assert faults(other) == []
    other.locator(".say").first.click()
    expect(one.locator("#seats .seat-says")).to_be_visible()
    for muted in (False, True):
        other.locator("#seats .seat-about").click()
        expect(other.locator("dialog[open] p")).to_have_count(1 + muted)
        assert faults(other) == []
        if not muted:
            with other.expect_response("**/company/"):
                other.get_by_role("button", name="म्यूट करें").click()
    other.keyboard.press("Escape")


#: Presses each of the buttons that are still there, in one step: the computer players may end the deal just now.
#: Says of each whether a pointer would have met it.
PRESS = """(buttons) => buttons.map((each) => {
    const box = each.getBoundingClientRect();
    const met = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const pressable = each.contains(met) && !each.disabled;
    each.click();
    return pressable;
})"""


def test_the_table_fits_every_screen(visitor: Callable[..., Page]) -> None:
    """Opened in windows of tablets and of a low phone: `test_screens` opens others."""
    page = visitor(*NARROW)
    at_a_table(page, computers=5)
    for width, height in on_every_screen(page, (1024, 768), (820, 1180), (1180, 820), (640, 360), dealt=True):
        assert lies_inside(page) == [], f"{width} x {height}"
    drop(page)
    page.wait_for_function("() => document.querySelector('#act-skip') || document.body.dataset.phase === 'result'")
    assert page.locator("#act-skip").evaluate_all(PRESS) in ([], [True]), "the button can be met by a pointer"
    wait_for_phase(page, "result")
