"""A player who looks elsewhere, plays at several tables, or has no connection."""

import re
from collections.abc import Callable
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.platform import Platform
from tests.system.browser.axe import faults
from tests.system.browser.steps import (
    DEAL,
    NARROW,
    at_a_table,
    become_somebody,
    cards,
    draw,
    friends_table,
    lies_inside,
    on_turn,
    pass_turn,
    post,
    practise,
    practise_at_once,
    sign_up,
    sit_down,
    stop_time,
    wait_for_turn,
)

pytestmark = pytest.mark.browser

#: The window is hidden while `away` is true; notices are kept instead of shown.
ELSEWHERE = """
window.away = false;
window.notices = [];
Object.defineProperty(Document.prototype, "hidden", {get: () => window.away});
window.Notification = class {
    static permission = "default";
    static async requestPermission() { return (this.permission = "granted"); }
    constructor(title, look) { window.notices.push(look.body); }
    close() {}
};
Object.defineProperty(navigator, "serviceWorker", {get: () => undefined});
"""


def test_a_player_looking_elsewhere_is_called_and_a_double_tap_can_be_undone(visitor: Callable[..., Page]) -> None:
    page, other = visitor(timed=True), visitor(*NARROW)
    page.add_init_script(ELSEWHERE)
    friends_table(page, other, book="standard-points")
    if on_turn(page, other) is other:
        pass_turn(other)
    wait_for_turn(page)
    assert faults(page) == []
    page.locator("#tool-menu").click()
    page.locator("dialog[open] .menu-row", has_text="Settings").click()
    page.get_by_label("Notices while you look elsewhere").check()
    page.get_by_label("Light").check()
    assert faults(page) == []
    page.keyboard.press("Escape")
    assert draw(page)
    # Two taps are one act within a third of a second, and the card can be taken back for two: by the page's time.
    stop_time(page)
    card = page.locator(f"#hand [data-card='{cards(page)[-1]}']")
    card.dblclick(position={"x": 8, "y": 40})
    expect(page.locator(".toast")).to_contain_text("Take it back")
    page.keyboard.press("Escape")
    expect(page.locator(".toast")).to_have_count(0)
    expect(page.locator("#hand [data-card]")).to_have_count(14)
    page.clock.run_for(1_000)
    card.dblclick(position={"x": 8, "y": 40})
    page.clock.resume()
    expect(page.locator("#hand [data-card]")).to_have_count(13)
    page.evaluate("window.away = true")
    pass_turn(other)
    page.wait_for_function("() => window.notices.length", timeout=DEAL)
    expect(page).to_have_title(re.compile(r"^\d+ s · Your turn · "))
    assert str(page.locator("link[rel=icon]").get_attribute("href")).startswith("data:image/svg+xml")
    page.evaluate("window.away = false")
    expect(page).not_to_have_title(re.compile(r"^\d+ s"))
    page.goto(page.url.split("/tables/")[0])
    look = page.locator("html[data-look=light]")
    expect(look).to_have_count(1)
    assert faults(page) == []
    page.get_by_role("button", name="Dark", exact=True).click()
    expect(look).to_have_count(0)


def test_two_tables_lie_side_by_side_and_the_tray_shows_which_one_waits(visitor: Callable[..., Page]) -> None:
    page = visitor()
    at_a_table(page)
    page.goto(page.url.split("/tables/")[0])
    practise(page, computers=2)
    expect(page.locator("iframe")).to_have_count(2)
    assert faults(page) == []
    waits = page.locator(".waits .tray-tab")
    expect(waits.first).to_contain_text("Your turn")
    for width, height, shown in ((1440, 900, 2), (360, 740, 1)):
        page.set_viewport_size({"width": width, "height": height})
        tables = [frame for frame in page.frames if "/tables/" in frame.url and "framed" in frame.url]
        assert (
            sum(frame.locator("#room").is_visible() and frame.frame_element().is_visible() for frame in tables) == shown
        )
        assert lies_inside(page) == []
    other = page.locator(".tray-tab[aria-pressed=false]")
    other.click()
    expect(page.locator(".tray-tab[aria-pressed=true]")).to_have_count(1)
    answer_once(page, visitor())
    leave_the_front(page)
    expect(page.locator("iframe")).to_have_count(1)
    expect(page.locator(".tray-tab")).to_have_count(1)


def test_tables_of_one_game_have_names_of_their_own_in_the_tray(visitor: Callable[..., Page]) -> None:
    page = visitor(360, 740)
    at_a_table(page)
    for computers in (2, 3):
        practise_at_once(page, computers)
    tabs = page.locator(".tray-title")
    expect(tabs).to_have_text([re.compile(f"^{place} · Practice") for place in (1, 2, 3)])


def leave_the_front(page: Page) -> None:
    """Leave the table in front, on a narrow screen."""
    front = page.frame_locator("iframe.is-front")
    front.locator("#tool-menu").click()
    front.locator("dialog[open] .menu-row", has_text="Leave").click()
    front.locator("dialog[open] button", has_text="Leave").last.click()


def answer_once(page: Page, asker: Page) -> None:
    """Let somebody ask the player of two tables to be friends: the table in front has it, and once answered none."""
    become_somebody(asker)
    post(asker, "/api/friends/", name=page.request.get(urljoin(page.url, "/api/me/")).json()["name"])
    front, behind = (
        page.frame_locator(f"iframe{which}").locator(".news .call") for which in (".is-front", ":not(.is-front)")
    )
    expect(front).to_be_visible()
    page.locator(".tray-tab[aria-pressed=false]").click()
    expect(front).to_be_visible()
    expect(behind).to_have_count(0)
    front.locator(".call__yes").click()
    expect(front).to_have_count(0)
    page.locator(".tray-tab[aria-pressed=false]").click()
    expect(front).to_have_count(0)
    expect(behind).to_have_count(0)


#: A stake for six, before all others: a while passes between the second player and the first card.
STAKE = """
from lobby.models import Stake
Stake.objects.create(title="Six friends", book="standard-points", seats=6, point_value=1, order=-9, start_seconds=120)
"""


def test_a_player_practising_while_waiting_is_called_and_returns_with_one_click(
    visitor: Callable[..., Page], platform: Platform
) -> None:
    platform.run_code(STAKE)
    page, other = visitor(360, 640), visitor(740, 360)
    for each in (page, other):
        sign_up(each)
    sit_down(page, "points", seats=6)
    page.locator("#act-practise").click()
    expect(page.locator(".tray-tab[aria-pressed=true]")).to_contain_text("Practice")
    expect(page.frame_locator("iframe.is-front").locator("#hand [data-card]")).to_have_count(13)
    expect(page.locator("#beginning")).to_be_hidden()
    other.goto(other.url.split("?")[0] + "?family=points")
    other.locator(".book").last.scroll_into_view_if_needed()
    expect(other.get_by_role("radio", name="Pool")).to_be_in_viewport()
    other.get_by_role("button", name="More filters").click()
    expect(other.get_by_label("Buy-in from")).to_be_in_viewport()
    other.keyboard.press("Escape")
    expect(other.get_by_label("Buy-in from")).to_be_hidden()
    lines = other.locator(".waiting-table a > *")
    assert lines.evaluate_all("all => all.filter(each => each.scrollHeight > each.clientHeight).length") == 0
    other.locator("#waiting-tables a", has_text="1 of 6 seats taken").click()
    other.get_by_role("button", name="Sit down").click()
    expect(page.locator("#beginning")).to_contain_text("Somebody has come")
    assert faults(page) == []
    page.locator("#beginning").click()
    expect(page.locator(".tray-tab[aria-pressed=false]")).to_contain_text("Practice")
    expect(page.frame_locator("iframe.is-front").locator("#status")).to_contain_text("The deal begins in")
    expect(page.locator("#beginning")).to_be_hidden()


def test_without_a_connection_a_page_says_so_and_no_old_table_is_shown(browser: Browser, platform: Platform) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(platform.address)
    page.wait_for_function("() => navigator.serviceWorker.controller")
    context.set_offline(True)
    for path in ("/", "/tables/1/"):
        page.goto(platform.address + path)
        expect(page.get_by_role("heading")).to_have_text("No connection")
    context.set_offline(False)
    page.goto(platform.address)
    expect(page.get_by_role("heading", level=1)).not_to_have_text("No connection")
    manifest = page.request.get(platform.address + "/manifest.webmanifest").json()
    assert all(page.request.get(platform.address + icon["src"]).ok for icon in manifest["icons"])
    context.close()


def test_back_to_a_refused_form_shows_the_form_and_no_lost_connection(browser: Browser, platform: Platform) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(platform.address + "/login/")
    page.wait_for_function("() => navigator.serviceWorker.controller")
    page.get_by_label("Name", exact=True).fill("nobody")
    page.get_by_label("Password", exact=True).fill("not this one")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Name or password is not right.")).to_be_visible()
    page.get_by_role("link", name="Forgotten your password?").click()
    page.wait_for_url("**/forgotten/")
    page.go_back()
    assert page.get_by_role("heading", level=1).inner_text() == "Sign in", "at once: the other page tries again, too"
    context.close()


def test_the_app_is_offered_for_installation_where_the_browser_offers_it(
    visitor: Callable[..., Page], platform: Platform
) -> None:
    page = visitor()
    page.goto(platform.address)
    install = page.get_by_role("button", name="Install the app")
    expect(install).to_be_hidden()
    offered = page.evaluate(
        """() => {
            const offer = new Event("beforeinstallprompt", { cancelable: true });
            offer.prompt = async () => { window.prompted = (window.prompted ?? 0) + 1; };
            dispatchEvent(offer);
            return offer.defaultPrevented;
        }"""
    )
    assert offered, "the browser's own bar would stand beside the button"
    expect(install).to_be_visible()
    install.click()
    expect(install).to_be_hidden()
    assert page.evaluate("window.prompted") == 1
