"""What is seen on screens of every size, and by those who need larger text, other colours or more zoom."""

import re
import secrets
from collections.abc import Callable, Iterator
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.client import PASSWORD
from tests.support.platform import Platform
from tests.system.browser.conftest import CHROMIUM
from tests.system.browser.steps import (
    NARROW,
    WIDE,
    at_a_table,
    become_somebody,
    covered,
    drop,
    lies_inside,
    on_every_screen,
    wait_for_phase,
)

pytestmark = pytest.mark.browser


#: The seats where what is said of the player lies on their chips, or on their points and drops.
NOTED_OVER = """() => [...document.querySelectorAll("#seats .plate")].filter((plate) => {
    const chips = document.createRange();
    chips.selectNodeContents(plate.querySelector(".seat-chips"));
    const note = plate.parentElement.querySelector(".seat-note").getBoundingClientRect();
    return [...chips.getClientRects()].some((box) => box.width && box.right > note.left + 1 && note.right > box.left + 1
        && box.bottom > note.top + 3 && note.bottom > box.top + 3);
}).map((plate) => plate.innerText)"""


@pytest.mark.parametrize("computers", [1, 3, 5])
def test_nothing_on_the_table_lies_on_anything_that_must_be_seen(visitor: Callable[..., Page], computers: int) -> None:
    """On phones, upright and on their side, below the tray of other tables as well, and in windows."""
    page = visitor(*NARROW)
    book, name = "standard-points" if computers < 5 else "standard-pool-101", "W" * 12 + secrets.token_hex(4)
    at_a_table(page, book, computers=computers, name=name)
    screens = [NARROW, (320, 568), (740, 318), (700, 560), WIDE]
    if computers == 5:
        screens += [(390, 844), (740, 360), (640, 360)]
    for width, height in on_every_screen(page, *screens, dealt=True):
        assert covered(page) == [] and (width < 360 or lies_inside(page) == []), f"{width} x {height}"
        page.evaluate("document.querySelectorAll('#seats .seat-note').forEach(each => each.textContent = 'Dropped')")
        assert covered(page) == [], f"{width} x {height}, all others out"
        assert page.evaluate(NOTED_OVER) == [], f"{width} x {height}, all others out"
        if width == 320:
            page.evaluate("document.querySelector('#status').textContent = 'W'.repeat(20) + ' to play'")
            assert covered(page) == [], f"{width} x {height}, a long name to play"


#: Writes a name, a stack or points with the drops that are left, and whose turn it is, as wide as they can be, and
#: shows the cards of the toss; returns the plates that do not hold their texts.
WIDEST = """([name, stack, drops, status]) => {
    document.querySelector("#status").textContent = status;
    for (const toss of document.querySelectorAll(".toss-card")) {
        toss.replaceChildren(document.querySelector("#hand .card").cloneNode(true));
        toss.firstChild.removeAttribute("style");
        toss.hidden = false;
    }
    return [...document.querySelectorAll("#seats .plate, #own-seat .plate")].filter((plate) => {
        const [words, more] = [plate.querySelector(".seat-chips"), document.createElement("span")];
        const written = document.createRange();
        [more.className, more.textContent] = ["more", drops];
        plate.querySelector(".name").textContent = name;
        words.replaceChildren(stack, more);
        written.selectNodeContents(words);
        const [text, edge] = [written.getBoundingClientRect(), plate.getBoundingClientRect()];
        return text.left < edge.left || text.right > edge.right || edge.left < -1 || edge.right > innerWidth + 1;
    }).map((plate) => plate.innerText);
}"""
LONG, SPELT = "W" * 20, "क्षत्रियवर्धमानश्री"
WIDE_TEXTS = (
    (LONG, "100", " · 4 drops", f"{LONG} to play"),
    (LONG, "11,111 Cr", "", "Your turn: draw"),
    (SPELT, "100", " · 4 ड्रॉप", "आपकी बारी: पत्ता उठाएँ"),
    (SPELT, "11,111 करोड़", "", f"{SPELT} की बारी"),
)


@pytest.mark.parametrize("computers", [1, 2, 3, 4, 5])
def test_plates_with_the_widest_names_and_amounts_lie_on_nothing(visitor: Callable[..., Page], computers: int) -> None:
    page = visitor(*NARROW)
    at_a_table(page, "standard-pool-201", computers=computers)
    screens = (NARROW, (320, 568), (375, 667), (412, 800), (568, 320), (740, 318), (740, 360), (820, 1180), WIDE)
    for screen in on_every_screen(page, *screens):
        for words in WIDE_TEXTS:
            assert page.evaluate(WIDEST, list(words)) == [], (screen, words)
            assert covered(page) == [], (screen, words)


def width_of_a_card(page: Page) -> float:
    box = page.locator("#hand [data-card]").last.bounding_box()
    assert box is not None
    return box["width"]


def test_larger_cards_are_larger_in_the_hand_on_every_screen(visitor: Callable[..., Page]) -> None:
    page = visitor(*NARROW)
    at_a_table(page)
    before, after = {}, {}
    screens = (NARROW, (740, 360), (1024, 768), WIDE)
    for screen in on_every_screen(page, *screens, dealt=True):
        before[screen] = width_of_a_card(page)
    page.evaluate("localStorage.setItem('table-settings', JSON.stringify({largeCards: true}))")
    for screen in on_every_screen(page, *screens, dealt=True):
        after[screen] = width_of_a_card(page)
        assert lies_inside(page) == [] and covered(page) == [], screen
    assert {screen for screen in screens if after[screen] < before[screen] * 1.04} == set(), (before, after)
    assert after[WIDE] > before[WIDE] * 1.2


#: Whether a pointer would meet the element.
MET = """(each) => {
    const box = each.getBoundingClientRect();
    return each.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
}"""


def test_a_table_enlarged_four_times_scrolls_to_everything_that_is_pressed(visitor: Callable[..., Page]) -> None:
    """A window of 1440 by 900 at 400 percent."""
    page = visitor(360, 225)
    at_a_table(page)
    for selector in ("#closed", "#open", "#finish", "#act-sort", "#act-drop", "#tool-menu"):
        page.locator(selector).scroll_into_view_if_needed()
        assert page.locator(selector).evaluate(MET), selector
    page.locator("#closed").click()
    expect(page.locator("#hand [data-card]")).to_have_count(14)
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth + 1")


def test_cards_keep_their_paper_and_edges_in_the_colours_of_the_system(visitor: Callable[..., Page]) -> None:
    page = visitor(forced_colors="active")
    at_a_table(page)
    looks = page.eval_on_selector_all(
        ".pile .card, #hand .card",
        "all => all.map(each => { const look = getComputedStyle(each);"
        " return [parseFloat(look.borderTopWidth) > 0, look.backgroundImage !== 'none']; })",
    )
    assert len(looks) > 13 and all(edge and paper for edge, paper in looks)


@pytest.fixture
def large_text(browser: Browser, platform: Platform) -> Iterator[Page]:
    """Return a page of a browser whose text is set to 150 percent."""
    other = browser.browser_type.launch(executable_path=CHROMIUM, args=["--blink-settings=defaultFontSize=24"])
    page = other.new_context(reduced_motion="reduce").new_page()
    page.goto(platform.address + "/healthz")
    yield page
    other.close()


def test_larger_text_of_the_browser_is_followed_and_breaks_no_page(large_text: Page) -> None:
    page = large_text
    at_a_table(page)
    for screen in on_every_screen(page, (820, 1180), (1024, 768), WIDE, NARROW, (740, 360), dealt=True):
        assert lies_inside(page) == [] and covered(page) == [], screen
        grown = float(page.evaluate("parseFloat(getComputedStyle(document.querySelector('#act-sort')).fontSize)"))
        assert grown > 15, screen
    for path in ("/", "/how-to-play/standard-pool-101/", "/history/", "/account/", "/signup/"):
        page.goto(urljoin(page.url, path))
        for screen in on_every_screen(page, WIDE, NARROW):
            assert page.evaluate("getComputedStyle(document.body).fontSize") == "24px"
            assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth + 1"), (path, screen)
    page.goto(urljoin(page.url, "/"))
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    edges = page.eval_on_selector_all(".stake__sit", "all => all.map(each => each.getBoundingClientRect().right)")
    assert min(edges) > 0 and max(edges) < page.evaluate("innerWidth")


def test_a_name_that_is_one_long_word_makes_no_heading_wider_than_a_phone(visitor: Callable[..., Page]) -> None:
    page, name = visitor(320, 568), "W" * 16 + secrets.token_hex(2)
    at_a_table(page, name=name)
    drop(page)
    wait_for_phase(page, "result")

    def fits(heading: str, page: Page = page) -> None:
        expect(page.locator(heading).first).to_contain_text(name)
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), page.url

    page.goto(urljoin(page.url, "/history/"))
    page.goto(_a_deal(page))
    fits(".shown__head h3:has-text('W')")
    page.goto(urljoin(page.url, "/account/"))
    fits("h1")
    page.goto(urljoin(page.url, "/private/new/"))
    page.get_by_role("button", name="Open the table").click()
    page.wait_for_url(re.compile(r"/private/[A-Z0-9]{8}/$"))
    invited = visitor(*NARROW)
    invited.goto(page.url)
    fits("h1", invited)
    page.goto(urljoin(page.url, "/duplicate/"))
    page.get_by_role("button", name="Make a match").click()
    fits("h1")
    match = page.url
    page.get_by_role("button", name="Play deal 1").click()
    page.wait_for_url("**/tables/**")
    page.goto(match)
    expect(page.locator(".daily-side")).to_be_visible()
    fits("h1")
    page.goto(urljoin(page.url, "/tournaments/"))
    page.get_by_role("link", name="Quick six").first.click()
    page.locator("main form .button--primary").click()
    fits("#places p")
    assert page.locator("#places p").evaluate("each => each.getBoundingClientRect().right < innerWidth - 24")
    page.goto(urljoin(page.url, "/wallet/"))
    assert page.get_by_label("From").evaluate("each => each.clientWidth > 150"), "a date is read whole"


#: A stake of amounts with ten digits and more; none is left.
LARGE = """
from lobby.models import Stake
Stake.objects.create(title="Large", book="standard-pool-101", seats=6, entry=100_000_000_000)
"""
NO_LARGE = "from lobby.models import Stake; Stake.objects.filter(title='Large').delete()"


def test_an_amount_of_twelve_digits_makes_no_page_wider_than_a_phone(
    visitor: Callable[..., Page], platform: Platform
) -> None:
    page = visitor(*NARROW)
    become_somebody(page)
    platform.run_code(LARGE)
    try:
        page.goto(urljoin(page.url, "/?family=pool"))
        page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        stake = page.locator(".stake", has_text="1,00,00,00,00,000").last
        expect(stake).to_be_visible()
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
        assert stake.get_by_role("link").first.evaluate("each => each.getBoundingClientRect().right < innerWidth")
    finally:
        platform.run_code(NO_LARGE)


#: Whether what is told of somebody stays in its place though their name is one long word.
TELLS = """(node) => {
    const text = node.textContent;
    node.textContent = `${"W".repeat(20)} wins the deal`;
    const inPlace = node.scrollWidth <= node.clientWidth;
    node.textContent = text;
    return inPlace;
}"""


#: Whether twelve digits stay inside the result.
HOLDS = """(node) => {
    const text = node.textContent;
    node.textContent = "+1,11,11,11,10,100";
    const [right, edge] = [node, node.closest("#panel")].map((each) => each.getBoundingClientRect().right);
    const fits = node.scrollWidth <= node.clientWidth && right < edge;
    node.textContent = text;
    return fits;
}"""


def test_a_name_that_is_one_long_word_is_broken_where_the_table_tells_of_it(visitor: Callable[..., Page]) -> None:
    page = visitor(*NARROW)
    at_a_table(page)
    assert page.locator("#status").evaluate(TELLS)
    drop(page)
    wait_for_phase(page, "result")
    assert page.locator("#panel h2").evaluate(TELLS)
    for screen in on_every_screen(page, (320, 568), (740, 318), (820, 1180), WIDE):
        assert page.locator("#panel .is-won .result-amount").evaluate(HOLDS), screen


def _a_deal(page: Page) -> str:
    """Return the address of a deal in the history that the page shows."""
    links = "all => all.map(each => each.href).find(each => /history.[0-9]+.$/.test(each))"
    return str(page.locator("main a[href]").evaluate_all(links))


#: Adds up how far the page moved by itself what somebody might read: the browser's own measure.
SHIFTS = """
window.shifted = [];
new PerformanceObserver((list) => window.shifted.push(...list.getEntries().filter((each) => !each.hadRecentInput)
    .map((each) => each.value))).observe({type: "layout-shift", buffered: true});
"""


def test_nothing_jumps_when_the_page_of_a_deal_is_opened(visitor: Callable[..., Page]) -> None:
    page = visitor(*NARROW)
    at_a_table(page)
    drop(page)
    wait_for_phase(page, "result")
    page.add_init_script(SHIFTS)
    page.goto(urljoin(page.url, "/history/"))
    deal = _a_deal(page)
    for screen in (NARROW, (740, 360), WIDE):
        page.set_viewport_size({"width": screen[0], "height": screen[1]})
        page.goto(deal)
        expect(page.locator("#hands .card")).to_have_count(26)
        expect(page.locator("#turns")).not_to_have_attribute("aria-busy", "true")
        assert sum(page.evaluate("window.shifted")) < 0.02, screen


def test_the_deals_of_the_history_come_before_its_filters_on_a_phone(visitor: Callable[..., Page]) -> None:
    page = visitor(*NARROW)
    at_a_table(page)
    drop(page)
    wait_for_phase(page, "result")
    page.goto(urljoin(page.url, "/history/"))
    game, unfold = page.get_by_label("Game"), page.get_by_text("Choose deals, or download them")
    expect(game).to_be_hidden()
    unfold.click()
    game.select_option("standard-points")
    page.get_by_role("button", name="Show").click()
    expect(game).to_have_value("standard-points")
    expect(game).to_be_visible()
    page.goto(urljoin(page.url, "/history/"))
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    expect(game).to_be_visible()
    expect(unfold).to_be_hidden()


def test_recovery_codes_are_read_whole_on_a_phone(visitor: Callable[..., Page]) -> None:
    page = visitor(*NARROW)
    become_somebody(page)
    page.goto(urljoin(page.url, "/account/recovery-codes/"))
    page.locator("input[type=password]").fill(PASSWORD)
    page.get_by_role("button", name="Make new codes").click()
    expect(page.locator("[data-code]")).to_have_count(8)
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="Go on without them").click()
    expect(page.get_by_label("Display name")).to_be_visible()


def test_nothing_to_read_or_press_lies_under_the_notch_of_a_phone(visitor: Callable[..., Page]) -> None:
    page = visitor(740, 360)
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setSafeAreaInsetsOverride", {"insets": {"left": 47, "right": 47}})
    for path in ("/", "/signup/", "/how-to-play/"):
        page.goto(urljoin(page.url, path))
        assert (
            page.locator("header, main, footer")
            .locator("a, button, h1, p")
            .evaluate_all(
                "all => all.filter(each => each.checkVisibility()).map(each => each.getBoundingClientRect())"
                ".filter(box => box.width > 1 && (box.left < 47 || box.right > innerWidth - 46)).length"
            )
            == 0
        ), path
