"""Real money on the pages, from the first details to the statement, beside the staff who handle it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.platform import Platform
from tests.system.browser.steps import leave, sign_up
from tests.unit.config.test_money import COMPLETE, REHEARSED

pytestmark = pytest.mark.browser

#: The demo staff of an installation for a trial.
STAFF = "run-thirteen"


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """Run the platform with real money switched on and the test gateway, the only one allowed in a trial."""
    with Platform(Path(tmp_path_factory.mktemp("money")), **{**COMPLETE, **REHEARSED}).started() as running:
        yield running


@pytest.fixture
def desk(visitor: Callable[..., Page], platform: Platform) -> Callable[..., None]:
    """Return a function by which one of the staff finds a row in the admin and acts on it, with a reason."""
    pages: dict[str, Page] = {}

    def of(name: str) -> Page:
        if name not in pages:
            page = pages[name] = visitor()
            page.goto(platform.address + "/login/")
            page.get_by_label("Name", exact=True).fill(name)
            page.locator("input[type=password]").fill(STAFF)
            page.get_by_role("button", name="Sign in").click()
        return pages[name]

    def act(name: str, what: str, player: str, verb: str, reason: str, **more: str) -> None:
        page = of(name)
        page.goto(f"{platform.address}/admin/gateways/{what}/?q={player}")
        page.locator("#result_list tbody tr").first.locator("th a").click()
        page.locator(".object-tools").get_by_role("link", name=verb, exact=True).click()
        for field, value in more.items():
            page.locator(f"[name={field}]").fill(value)
        page.get_by_label("Why").or_(page.locator("[name=reason]")).first.fill(reason)
        page.locator("input[type=submit].default").click()
        expect(page.locator(".messagelist .success")).to_be_visible()

    return act


#: A desk and a telephone: what is done is done on the second.
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 360, "height": 740}
#: What sticks out of the window to the side, and which balance of the header is cut short.
STICKS_OUT = """() => [
    ...(document.scrollingElement.scrollWidth > innerWidth ? ["the page"] : []),
    ...[...document.querySelectorAll(".balance-chip")].filter((chip) => {
        const box = chip.getBoundingClientRect();
        return box.left < 0 || box.right > innerWidth || chip.scrollWidth > chip.clientWidth;
    }).map((chip) => chip.textContent),
]"""


def look(page: Page, *texts: str) -> None:
    """Check that the page contains these texts and that nothing sticks out, on both screens."""
    for text in texts:
        expect(page.get_by_role("main")).to_contain_text(text)
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert page.evaluate(STICKS_OUT) == [], (page.url, size)


def holds(page: Page, rupees: str, chips: str = "10,000") -> None:
    """Check that the header shows both balances, each in its own chip."""
    expect(page.locator(".balance-chip")).to_contain_text([chips, rupees])


def test_from_the_first_details_to_the_statement(
    visitor: Callable[..., Page], platform: Platform, desk: Callable[..., None]
) -> None:
    page = visitor(**NARROW)
    name = sign_up(page)
    money = platform.address + "/wallet/money/"
    holds(page, "₹0.00")

    page.goto(money)
    look(page, "First, a few details")
    page.get_by_role("link", name="Go on").click()
    page.get_by_label("Where you live").select_option("IN-GA")
    page.get_by_label("Date of birth").fill("1990-05-17")
    page.get_by_label("I accept the terms").check()
    look(page)
    page.get_by_role("button", name="Save").click()
    look(page, "We are looking at your details")
    desk("support", "identity", name, "Verify", "Seen the passport", pan="ABCPE1234F")

    page.goto(money)
    form = page.locator("section", has=page.get_by_role("heading", name="Deposit", exact=True))
    form.get_by_label("Amount in ₹").fill("500.50")
    look(page)
    form.get_by_role("button", name="Go to payment").click()
    look(page, "₹500.50", "Reference")
    page.get_by_role("button", name="Pretend to pay").click()
    look(page, "In your balance")
    holds(page, "₹500.50")

    page.goto(platform.address + "/?currency=INR&family=points")
    look(page)
    page.get_by_role("link", name="Sit down").first.click()
    page.get_by_label("Amount to sit down with").fill("100")
    look(page, "₹500.50")
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_url("**/tables/*/")
    expect(page.locator("#own-seat")).to_contain_text("₹100")
    leave(page)
    holds(page, "₹500.50")

    page.goto(money)
    take_out(page, "300")
    look(page, "On hold, waits for our staff", "to account …9012")
    holds(page, "₹200.50")
    desk("finance", "withdrawal", name, "Confirm the transfer", f"OUT {name}")
    desk("staff", "withdrawal", name, "Approve", "The account is their own")
    page.goto(money)
    look(page, "Paid out")
    take_out(page, "50")
    holds(page, "₹150.50")
    page.get_by_role("button", name="Cancel").click()
    look(page, "Cancelled by you, returned to your balance")
    holds(page, "₹200.50")

    page.locator(".balance-chip--money").click()
    look(page, "Deposit", "Took a seat", "Left the table", "Withdrawal", "IST")
    changes = page.locator(".entries__change")
    expect(changes).to_contain_text(["+50.00", "−50.00", "−300.00", "+100.00", "−100.00", "+500.50"])


def take_out(page: Page, amount: str) -> None:
    form = page.locator("section", has=page.get_by_role("heading", name="Withdraw", exact=True))
    form.get_by_label("Amount in ₹").fill(amount)
    form.get_by_label("Name on the account").fill("Asha Rao")
    form.get_by_label("Account number").fill("1234 5678 9012")
    form.get_by_label("IFSC").fill("sbin0001234")
    form.get_by_role("button", name="Ask to be paid").click()
    expect(page.get_by_text("The amount is on hold.")).to_be_visible()
