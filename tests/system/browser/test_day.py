"""A page left open over midnight in India, and the pages that say what the place is, in the browser."""

from collections.abc import Callable
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.steps import NARROW, WIDE, become_somebody, on_every_screen, stop_time

pytestmark = pytest.mark.browser

#: What the page of the day may take to renew, after it is over, in ms.
SPREAD = 5_000


def open_until_midnight(page: Page, address: str) -> int:
    """Open the page and stop its time; return the milliseconds that are left of its day."""
    page.goto(urljoin(page.url, address))
    left = page.locator("meta[name=day-left]").get_attribute("content")
    assert left is not None
    stop_time(page)
    return int(left) * 1_000


def test_a_page_left_open_over_midnight_renews_itself(visitor: Callable[..., Page]) -> None:
    page = visitor(timed=True)
    become_somebody(page)
    left = open_until_midnight(page, "/wallet/")
    page.evaluate("document.title = 'yesterday'")
    page.clock.run_for(left - 30_000)
    expect(page).to_have_title("yesterday")
    with page.expect_navigation():
        page.clock.run_for(30_000 + SPREAD)
    expect(page).not_to_have_title("yesterday")


def test_where_somebody_writes_it_says_so_instead(visitor: Callable[..., Page]) -> None:
    page = visitor(timed=True)
    become_somebody(page)
    left = open_until_midnight(page, "/account/care/")
    field = page.locator("main input[type=text]").first
    field.fill("500")
    page.clock.run_for(left + SPREAD)
    expect(page.get_by_text("The day is over")).to_be_visible()
    expect(field).to_have_value("500")
    page.get_by_role("link", name="Show this page anew").click()
    expect(field).to_have_value("")


@pytest.mark.parametrize("address", ["/about/", "/terms/", "/safety/", "/complaints/"])
def test_the_places_own_pages_fit_every_screen(visitor: Callable[..., Page], address: str) -> None:
    page = visitor(*NARROW)
    page.goto(urljoin(page.url, address))
    for screen in on_every_screen(page, NARROW, (360, 740), WIDE):
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, screen


def test_a_complaint_is_sent_and_found_again_without_an_account(visitor: Callable[..., Page]) -> None:
    page = visitor(*NARROW)
    page.goto(urljoin(page.url, "/"))
    page.locator(".site-footer").get_by_role("link", name="Complaints").click()
    page.get_by_label("What is it about?").select_option(label="Something else")
    page.get_by_label("What happened?").fill("The bell is too loud.")
    page.get_by_role("button", name="Send the complaint").click()
    expect(page.get_by_role("heading", name="Complaint no.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("The bell is too loud.")).to_be_visible()
