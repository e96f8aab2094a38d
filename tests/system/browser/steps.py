"""What a person does on the pages."""

import re
import secrets
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from playwright.sync_api import Page, expect

from tests.support.client import PASSWORD
from tests.support.platform import Platform, wait_until

#: Longest wait, in ms, for something that happens within a deal of fast computer players.
DEAL = 60_000
#: Terms of a table for friends on which nobody is hurried.
UNHURRIED = {"turn_seconds": 120, "extra_seconds": 120, "meld_seconds": 180, "result_seconds": 60}
#: In ms: the arrangement is sent after 250.
SENT = 300
#: What a page lays out anew for another size of its window has stayed in its place for five frames.
LAID_OUT = """() => new Promise((done) => {
    const places = () => [...document.querySelectorAll("[data-card], button")].map((each) => {
        const box = each.getBoundingClientRect();
        return [box.x, box.y, box.width];
    }).join();
    let before = "", frames = 0;
    const look = () => {
        const now = places();
        frames = now === before ? frames + 1 : 0;
        before = now;
        if (frames < 5) requestAnimationFrame(look); else done();
    };
    look();
})"""
#: A wide and a narrow window.
WIDE, NARROW = (1440, 900), (360, 640)
STILL = """() => document.getAnimations().every(
    (each) => each.id !== "glide" && !each.effect?.target?.closest?.("#flights"))"""


def sign_up(page: Page) -> str:
    """Sign up as somebody new and go to the lobby, without the form, which `sign_up_by_the_form` fills in."""
    name = become_somebody(page)
    page.goto(urljoin(page.url, "/"))
    return name


def become_somebody(page: Page, name: str = "") -> str:
    """Sign in as somebody new, of that name or any, and leave the page as it is."""
    name = name or "b" + secrets.token_hex(4)
    account = {"username": name, "password": PASSWORD}
    answer = page.request.post(urljoin(page.url, "/api/auth/signup/"), data=account)
    assert answer.ok, answer.text()
    return name


def sign_up_by_the_form(page: Page) -> str:
    name = "b" + secrets.token_hex(4)
    page.goto(urljoin(page.url, "/signup/"))
    page.get_by_label("Name", exact=True).fill(name)
    page.locator("input[type=password]").first.fill(PASSWORD)
    page.get_by_role("button", name="Sign up and play").click()
    expect(page.get_by_text(f"Welcome, {name}")).to_be_visible()
    page.get_by_role("link", name="I have kept them").click()
    return name


def practise(page: Page, computers: int, book: str = "standard-points") -> None:
    folded = page.locator(".all-games:not([open]) > summary")
    if folded.count():
        folded.click()  # a newcomer is shown a few games first
    page.locator(".practice select[name=book]").select_option(book)
    page.locator(f".practice button[value='{computers + 1}']").click()
    page.wait_for_url(re.compile(r"/tables/(\d+/$|\?front=)"))


def practise_at_once(page: Page, computers: int = 1, book: str = "standard-points", *, unhurried: bool = True) -> None:
    """Start practice as the lobby's form does, without rendering it; `unhurried` replaces the clocks of the book."""
    table = post(page, "/api/practice/", book=book, players=computers + 1, unhurried=unhurried)["table"]
    page.goto(urljoin(page.url, f"/tables/{table}/"))


def post(page: Page, path: str, **content: Any) -> dict[str, Any]:
    """Call the API as the page itself would, and return what it answers."""
    token = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "csrftoken")
    headers = {"X-CSRFToken": token, "Referer": page.url}
    answer = page.request.post(urljoin(page.url, path), data=content, headers=headers)
    assert answer.ok, answer.text()
    return dict(answer.json())


def wait_for_phase(page: Page, *phases: str) -> None:
    page.wait_for_function("phases => phases.includes(document.body.dataset.phase)", arg=list(phases), timeout=DEAL)


def wait_for_turn(page: Page) -> None:
    """Wait until it is the player's turn to draw, or the deal is over; another player's show is neither."""
    page.wait_for_function(
        "() => ['result', 'over'].includes(document.body.dataset.phase)"
        " || document.body.classList.contains('is-melding')"
        " || !document.querySelector('#closed').disabled"
        " && document.querySelector('#status').textContent.includes('draw')",
        timeout=DEAL,
    )


def at_a_table(
    page: Page, book: str = "standard-points", *, computers: int = 1, unhurried: bool = True, name: str = ""
) -> None:
    """Seat somebody new opposite so many computer players, with thirteen cards, about to draw."""
    become_somebody(page, name)
    practise_at_once(page, computers, book, unhurried=unhurried)
    wait_for_own_turn(page)
    lie_still(page)


def wait_for_own_turn(page: Page) -> None:
    """Wait until it is the player's turn to draw, in the next deal where it does not come in this one.

    The computer players may drop or win before the first turn, and before a slow page comes.
    """
    wait_for_turn(page)
    while phase(page) != "playing":
        if phase(page) == "melding":
            submit(page)
        wait_for_phase(page, "result")
        go_on(page)
        wait_for_turn(page)


def go_on(page: Page) -> None:
    """Continue, and wait until the next deal has been dealt; it may even be over."""
    hand = "[...document.querySelectorAll('#hand [data-card]')].map(card => card.dataset.card).join()"
    before = page.evaluate(hand)
    page.locator("#panel-continue").click()
    page.wait_for_function(f"before => {hand} !== before", arg=before)
    wait_for_phase(page, "playing", "melding", "result")


def friends_table(*pages: Page, **terms: object) -> str:
    """Seat somebody new in each window at one table for friends; return its code. The first has opened it."""
    code = ""
    for page in pages:
        become_somebody(page)
        if not code:
            code = post(page, "/api/private/", **{**UNHURRIED, **terms})["code"]
        table = post(page, f"/api/private/{code}/seats/")["table"]
        page.goto(urljoin(page.url, f"/tables/{table}/"))
    for page in pages:
        wait_for_phase(page, "playing")
    return code


def on_turn(*pages: Page) -> Page:
    """Wait until it is the turn of one of the players, and return their window."""

    def those_on_turn() -> list[Page]:
        return [page for page in pages if page.locator("#closed").is_enabled()]

    wait_until(lambda: bool(those_on_turn()), lambda: "it is nobody's turn")
    return those_on_turn()[0]


def die(platform: Platform, page: Page) -> None:
    """Kill the platform once the page has all that it has asked for, else the browser tells what it did not get."""
    page.wait_for_load_state("networkidle")
    platform.kill()


def lie_still(page: Page) -> None:
    """Wait until no card moves any more, so that a press meets the card that it is meant for."""
    page.wait_for_function(STILL)


def middle(page: Page, card: str) -> tuple[float, float]:
    """Return a point of the card that no other card covers, once the card lies still."""
    lie_still(page)
    box = page.locator(f"#hand [data-card='{card}']").bounding_box()
    assert box is not None
    return box["x"] + 9, box["y"] + box["height"] / 2


def place(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, card: str, to: tuple[float, float]) -> None:
    page.mouse.move(*middle(page, card))
    page.mouse.down()
    page.mouse.move(*to, steps=6)
    page.mouse.up()


def settle(page: Page) -> None:
    """Wait until the arrangement is on its way to the server, its groups are judged, and its cards lie still."""
    page.wait_for_timeout(SENT)
    expect(page.locator("#hand .tray-label", has_text="…")).to_have_count(0)
    lie_still(page)


def prefer(page: Page, scheme: str) -> None:
    """Let the device prefer this scheme and wait until the page follows, in a window opened with a `color_scheme`."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    expect(page.locator(f"html[data-look={scheme}]")).to_have_count(1)


def stop_time(page: Page) -> None:
    """Stop the time of a `timed` page, five seconds from now: from then on only its `clock` lets time pass."""
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 5)


def cards(page: Page) -> list[str]:
    return [str(card) for card in page.eval_on_selector_all("#hand [data-card]", "all => all.map(c => c.dataset.card)")]


def lies_inside(page: Page) -> list[str]:
    """Return what sticks out of the window, and whether the page scrolls; empty is good."""
    faults: Any = page.evaluate(
        """() => {
            const wrong = [];
            const root = document.scrollingElement;
            if (root.scrollHeight > innerHeight + 1) wrong.push(`scrolls down: ${root.scrollHeight} > ${innerHeight}`);
            if (root.scrollWidth > innerWidth + 1) wrong.push(`scrolls sideways: ${root.scrollWidth} > ${innerWidth}`);
            const selector = '#hand [data-card], #actions button, #seats > *, #own-seat, #piles > *, .bar-tools button';
            for (const each of document.querySelectorAll(selector)) {
                const box = each.getBoundingClientRect();
                if (!box.width || !box.height || getComputedStyle(each).visibility === 'hidden') continue;
                if (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)
                    wrong.push(`${each.id || each.className || each.dataset.card} at ${JSON.stringify(box)}`);
            }
            return wrong;
        }"""
    )
    return list(faults)


#: What must be seen of the piles, and what lies around them: no two of these may share a place on the table.
COVERED = """() => {
    const shown = (selector) => [...document.querySelectorAll(selector)].filter(
        (each) => each.checkVisibility({visibilityProperty: true}) && each.getBoundingClientRect().width > 1);
    const name = (each) => each.id || `${each.className} of ${each.closest("[id]").id}`;
    const meet = (one, other) => {
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
        return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    };
    const among = (ones, others) => ones.flatMap((one) => others.filter((other) => meet(one, other))
        .map((other) => `${name(other)} lies on ${name(one)}`));
    const piles = shown("#closed .under .card-index, #closed > .card.is-back, #open, #finish, .pile-label, #status");
    const seats = [...document.querySelectorAll("#seats > *")].map((each) => shown(`#seats > [data-key="${
        each.dataset.key}"] :is(.plate, .avatar, .seat-note, .seat-cards, .seat-bot, .toss-card)`));
    const own = shown("#own-seat .plate, #own-seat .toss-card, #verdict, #actions button");
    return [
        ...among(piles, [...seats.flat(), ...own]),
        ...seats.flatMap((seat, place) => among(seat, [...seats.slice(place + 1).flat(), ...own])),
        ...among(shown("#own-seat .plate"), shown("#verdict, #actions button")),
        ...among(shown("#title"), shown("#facts, #pot, .bar-tools button")),
        ...shown("#verdict, #own-seat .plate").filter((each) => each.scrollWidth > each.clientWidth + 1)
            .map((each) => `${name(each)} is too narrow`),
    ];
}"""


def covered(page: Page) -> list[str]:
    """Return what of the table lies on something else that must be seen; empty is good."""
    faults: list[str] = page.evaluate(COVERED)
    return faults


def on_every_screen(page: Page, *screens: tuple[int, int], dealt: bool = False) -> Iterator[tuple[int, int]]:
    """Let the window have each size in turn, and keep the last; what is on the page then lies still.

    A page with a hand (`dealt`) is loaded anew in each.
    """
    for width, height in screens:
        page.set_viewport_size({"width": width, "height": height})
        if dealt:
            page.reload()
            expect(page.locator("#hand [data-card]").first).to_be_visible()
        page.evaluate(LAID_OUT)
        lie_still(page)
        yield width, height


def phase(page: Page) -> str:
    return str(page.locator("body").get_attribute("data-phase"))


def sit_down(page: Page, family: str, seats: int) -> None:
    """Sit down at the first stake of this family and size, from the lobby."""
    page.goto(page.url.split("?")[0] + f"?family={family}&seats={seats}")
    page.get_by_role("link", name="Sit down").first.click()
    page.locator("dialog[open] [data-submit]").click()
    page.wait_for_url("**/tables/*/")


def draw(page: Page) -> bool:
    """Draw from the closed deck at the player's turn; return False if the deal is over before."""
    wait_for_turn(page)
    if phase(page) != "playing":
        return False
    page.locator("#closed").click()
    expect(page.locator("#hand [data-card]")).to_have_count(14)
    lie_still(page)
    return True


def pass_turn(page: Page) -> None:
    """Draw and discard the last card; do nothing if the deal is over."""
    if draw(page):
        hand = page.locator("#hand [data-card]")
        hand.last.click()
        page.get_by_role("button", name="Discard", exact=True).click()
        expect(hand).not_to_have_count(14)


def drop(page: Page) -> None:
    wait_for_turn(page)
    page.locator("#act-drop").click()
    page.locator("dialog[open] .is-grave").click()


def end_the_deal(page: Page) -> None:
    """Drop at the player's turn; where a computer player has shown before, submit; where one dropped, do nothing."""
    wait_for_turn(page)
    if phase(page) == "playing":
        drop(page)
    elif phase(page) == "melding":
        submit(page)
    wait_for_phase(page, "result")


def show_nothing(page: Page) -> None:
    """Finish with the drawn card and no group at all, which is a wrong show; where another has shown before, submit."""
    if draw(page):
        page.locator("#hand [data-card]").last.click()
        page.get_by_role("button", name="Finish", exact=True).click()
        page.locator("dialog[open]").get_by_role("button", name="Finish", exact=True).click()
        wait_for_phase(page, "melding")
    submit(page)


def submit(page: Page) -> None:
    """Submit, and confirm if the page asks whether the hand shall go like this."""
    page.get_by_role("button", name="Submit").first.click()
    page.wait_for_function("() => document.querySelector('dialog[open]') || document.body.dataset.phase !== 'melding'")
    question = page.locator("dialog[open]").get_by_role("button", name="Submit")
    if question.count():
        question.click()


def look_at(page: Page, window: str) -> None:
    """Open the score sheet or the last deal: by its button in the bar, or on a small screen from the menu."""
    button = page.locator(".bar-tools").get_by_role("button", name=window)
    if button.is_visible():
        button.click()
    else:
        page.locator("#tool-menu").click()
        page.locator("dialog[open] .menu-row", has_text=window).click()
    expect(page.locator("dialog[open] .sheet, dialog[open] .result")).to_be_visible()


def play_to_the_result(page: Page) -> None:
    """Draw from the closed deck and discard the last card until somebody has won; submit the hand as it lies."""
    while phase(page) == "playing":
        pass_turn(page)
    wait_for_phase(page, "melding", "result")
    if phase(page) == "melding":
        submit(page)
    wait_for_phase(page, "result")


def leave(page: Page) -> None:
    """Leave by the button in the bar, or on a small screen from the menu."""
    button = page.locator("#tool-leave")
    if button.is_visible():
        button.click()
    else:
        page.locator("#tool-menu").click()
        page.locator("dialog[open] .menu-row", has_text="Leave").click()
    confirm = page.locator("dialog[open] button", has_text="Leave")
    if confirm.count():
        confirm.last.click()
    page.wait_for_url(lambda url: "/tables/" not in url)
