"""Pool, best of three and blind on the page, from the first deal to the final result, beside scripted players."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.client import has_result
from tests.support.platform import Platform
from tests.support.strategies import Frame, Part, View, drops, shows_nothing, waits
from tests.system.browser.company import Company
from tests.system.browser.steps import (
    NARROW,
    WIDE,
    cards,
    drop,
    go_on,
    lies_inside,
    look_at,
    on_every_screen,
    pass_turn,
    phase,
    show_nothing,
    sign_up,
    sit_down,
    wait_for_phase,
)

pytestmark = pytest.mark.browser

#: The large tables begin when they are full: the others may take a while to sit down.
STAKES = """
from lobby.models import Stake
clocks = dict(full_seconds=2, turn_seconds=120, meld_seconds=120, result_seconds=120, prompt_seconds=120)
large, small = {"start_seconds": 120, **clocks}, {"start_seconds": 2, **clocks}
Stake.objects.create(title="Pool of four", book="standard-pool-101", seats=4, entry=10, order=-3, **large)
Stake.objects.create(title="Best of three", book="standard-deals-3", seats=2, entry=100, order=-2, **small)
Stake.objects.create(title="Blind three", book="standard-blind", seats=3, point_value=1, order=-1, **large)
"""


@pytest.fixture(scope="module", autouse=True)
def stakes(platform: Platform) -> None:
    platform.run_code(STAKES)


@pytest.fixture
def company(platform: Platform) -> Iterator[Company]:
    others = Company(platform)
    yield others
    others.stop()


def in_panel(page: Page, text: str) -> None:
    expect(page.locator("#panel")).to_contain_text(text)


def drops_in_the_second_round(view: View) -> Frame | None:
    return drops(view) if view["deal"]["turn_number"] > 3 else waits(view)


OTHERS_IN_THE_POOL = (
    Part({2: drops, 3: drops, 4: drops}, offers=[3], accepts={4: True}),
    Part({1: shows_nothing, 2: drops, 3: drops}, rejoins={3: False}),
    Part({1: drops, 4: drops_in_the_second_round}, accepts={3: True, 4: True}),
)


def test_a_pool_with_a_rejoin_a_refused_split_and_an_agreed_one(visitor: Callable[..., Page], company: Company) -> None:
    page = visitor(*NARROW)
    sign_up(page)
    sit_down(page, "pool", seats=4)
    company.join("Pool of four", OTHERS_IN_THE_POOL)
    wait_for_phase(page, "playing")
    show_nothing(page)
    wait_for_phase(page, "result")
    in_panel(page, "Wrong show")
    go_on(page)
    drop(page)
    wait_for_phase(page, "result")
    go_on(page)
    drop(page)

    wait_for_phase(page, "rejoin")
    in_panel(page, "For 10 chips you come back with 41 points")
    assert sticks_out_anywhere(page) == []
    page.get_by_role("button", name="Rejoin for 10").click()
    wait_for_phase(page, "split")
    in_panel(page, "offers to split the prize of 45 chips")
    lines = [line.inner_text().split("\n") for line in page.locator(".split-row").all()[1:]]
    assert sorted((line[1], line[2], line[3]) for line in lines) == [
        ("2", "5", "5"),
        ("3", "5 + 1 × 10", "15"),
        ("4", "5 + 2 × 10", "25"),
    ]
    expect(page.locator(".vote.is-agrees")).to_have_count(2)
    assert sticks_out_anywhere(page) == []
    page.get_by_role("button", name="Play on").click()

    wait_for_phase(page, "result")
    expect(page.get_by_role("button", name="Offer a split")).to_have_count(0)
    wait_for_phase(page, "playing")
    page.reload()
    wait_for_phase(page, "playing")
    look_at(page, "Score sheet")
    sheet = page.locator("dialog[open]")
    expect(sheet).to_contain_text("back with 41")
    expect(sheet.locator("tbody tr")).to_have_count(5)
    expect(sheet.locator("tr.is-total td").first).to_have_text("41")
    page.keyboard.press("Escape")
    look_at(page, "Last deal")
    expect(page.locator("dialog[open] .result-row.is-dropped")).to_have_count(3)
    page.keyboard.press("Escape")

    while phase(page) == "playing":
        pass_turn(page)
    page.get_by_role("button", name="Offer a split").click()
    wait_for_phase(page, "over")
    assert company.views()[0]["table"]["prize"] == 45
    for _ in range(2):
        in_panel(page, "The prize was shared: 45 chips")
        accounts = [" ".join(line.inner_text().split()) for line in page.locator(".accounts li").all()]
        assert accounts[0] == "You 41 points paid 20 +15 2 drops left, the fewest of all: an equal part of the prize."
        assert page.locator(".accounts .split-share").all_inner_texts() == ["+15", "+15", "+15", "−10"]
        assert sticks_out_anywhere(page) == []
        page.reload()
        wait_for_phase(page, "over")
    # It comes with the names of who is here, a moment later.
    expect(page.get_by_role("button", name="Play again together")).to_be_visible()
    page.get_by_role("button", name="Back to the lobby").click()
    page.wait_for_url(lambda url: "/tables/" not in url)


def test_best_of_three_has_no_drop_and_ends_with_its_accounts(visitor: Callable[..., Page], company: Company) -> None:
    page = visitor()
    sign_up(page)
    sit_down(page, "deals", seats=2)
    company.join("Best of three", [Part({2: shows_nothing})])
    wait_for_phase(page, "playing")
    expect(page.locator("#act-sort")).to_be_visible()
    assert not page.locator("#act-drop, #act-auto-drop").count()
    show_nothing(page)
    wait_for_phase(page, "result")
    go_on(page)
    while phase(page) == "playing":
        pass_turn(page)
    in_panel(page, "You win the deal")
    go_on(page)
    look_at(page, "Score sheet")
    expect(page.locator("dialog[open] tr.is-total td")).to_have_text(["80", "80"])
    page.keyboard.press("Escape")
    show_nothing(page)
    wait_for_phase(page, "over")
    page.reload()
    wait_for_phase(page, "over")
    in_panel(page, "wins the match")
    in_panel(page, "Prize: 180 chips")
    # What comes with the connection draws the accounts anew.
    expect(page.locator("#link-banner")).to_be_hidden()
    assert sticks_out(page) == []
    page.locator(".account-paid").first.evaluate("each => { each.style.display = 'block'; each.style.width = '9px'; }")
    assert sticks_out(page) == ["cut short: paid 100"], "what is looked for would be found"
    assert company.views()[0]["accounts"][1]["amount"] == 180


def test_in_blind_no_discard_is_ever_shown(visitor: Callable[..., Page], company: Company) -> None:
    page = visitor(*NARROW)
    sign_up(page)
    sit_down(page, "blind", seats=3)

    def gives_up(view: View) -> Frame | None:
        return drops(view) if view["deal"]["turn_number"] > 6 else waits(view)

    company.join("Blind three", [Part({1: gives_up}), Part({1: gives_up})], has_result, buy_in=100)
    wait_for_phase(page, "playing")
    pass_turn(page)
    expect(page.locator("#open .card.is-back").first).to_be_visible()
    assert not page.locator("#open [data-card]").count()
    page.locator("#tool-discards").click()
    expect(page.locator("#drawer")).to_contain_text("face down")
    assert not page.locator("#drawer .card").count()
    page.locator("#drawer").get_by_role("button", name="Close").click()
    for _ in on_every_screen(page, WIDE, NARROW, dealt=True):
        assert lies_inside(page) == []
    while phase(page) == "playing":
        pass_turn(page)
    wait_for_phase(page, "result")
    in_panel(page, "+72")
    look_at(page, "Score sheet")
    expect(page.locator("dialog[open] tr.is-total td")).to_have_text(["+72", "−40", "−40"])
    assert len(cards(page)) == 13
    company.views()


def sticks_out_anywhere(page: Page) -> list[str]:
    """Return what `sticks_out` finds in a wide window and in a narrow one."""
    return [fault for _ in on_every_screen(page, WIDE, NARROW) for fault in sticks_out(page)]


def sticks_out(page: Page) -> list[str]:
    """Return the parts of the panel that lie outside it or are cut short, except names; empty is good."""
    faults: list[str] = page.evaluate(
        """() => {
            const wrong = [];
            const panel = document.querySelector('#panel').getBoundingClientRect();
            if (panel.left < 0 || panel.right > innerWidth) wrong.push('the panel, sideways');
            if (panel.top < 0 || panel.bottom > innerHeight) wrong.push('the panel, up or down');
            for (const each of document.querySelectorAll('#panel *')) {
                const box = each.getBoundingClientRect();
                if (!box.width || each.closest('.card, .visually-hidden')) continue;
                if (box.left < panel.left - 1 || box.right > panel.right + 1) wrong.push(`out: ${each.textContent}`);
                const inline = getComputedStyle(each).display === 'inline';
                if (each.children.length || each.matches('b, .split-name') || inline) continue;
                if (each.scrollWidth > each.clientWidth + 1) wrong.push(`cut short: ${each.textContent}`);
            }
            return wrong;
        }"""
    )
    return faults
