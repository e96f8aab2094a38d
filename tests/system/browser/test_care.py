"""Responsible gaming in the browser: the reminder at the table, a report of the last deal, limits by the keyboard."""

import re
import sqlite3
from collections.abc import Callable
from datetime import datetime
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.support.platform import DATABASE, Platform
from tests.system.browser.steps import (
    NARROW,
    WIDE,
    become_somebody,
    end_the_deal,
    on_every_screen,
    practise_at_once,
    sign_up,
    wait_for_phase,
)
from wallet.base.report_zone import zone

pytestmark = pytest.mark.browser

ANSWER = """from lobby.reports import models, services
from wallet.audit_log.services import PLATFORM
services.answer_report(models.Report.objects.get(reporter__username="{name}"), "It was the wild one.", PLATFORM)"""


def two_hours_ago(platform: Platform) -> None:
    """Move the start of present sessions two hours back."""
    with sqlite3.connect(platform.data / DATABASE, timeout=20) as database:
        database.execute(
            "UPDATE tables_deal SET started_at = datetime(started_at, '-2 hours') WHERE started_at NOT NULL"
        )


def played_today() -> str:
    """Return a pattern of what two hours come to on the day of the report zone, which may be younger than that."""
    hours = min(2, datetime.now(zone()).hour)
    return f"{hours} h" if hours else r"\d+ min"


def test_the_table_reminds_and_the_last_deal_is_reported(visitor: Callable[..., Page], platform: Platform) -> None:
    """And an answer that is read at its own address is news no more."""
    page = visitor()
    name = become_somebody(page)
    practise_at_once(page)
    wait_for_phase(page, "playing", "melding", "result")
    end_the_deal(page)
    expect(page.locator("#reminder")).to_be_hidden()
    two_hours_ago(platform)
    page.reload()
    expect(page.locator("#reminder")).to_contain_text(re.compile(f"You have played for {played_today()}"))
    for _ in on_every_screen(page, WIDE, NARROW):
        expect(page.locator("#reminder-seen")).to_be_in_viewport(ratio=1)
    page.locator("#reminder-seen").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#reminder")).to_be_hidden()
    page.reload()
    page.wait_for_function("() => document.body.dataset.phase > ''")
    page.wait_for_load_state("networkidle")
    expect(page.locator("#reminder")).to_be_hidden()

    page.locator("#tool-menu").click()
    page.locator("dialog").get_by_role("button", name="Last deal").click()
    with page.context.expect_page() as opened:
        page.locator("#report-deal").click()
    report = opened.value
    report.get_by_label("What is it about?").select_option("rules")
    report.get_by_label("What happened?").fill("The joker was no joker.")
    report.get_by_role("button", name="Send the report").click()
    expect(report.get_by_text("It waits for our staff.")).to_be_visible()
    platform.run_code(ANSWER.format(name=name))
    with report.expect_response(re.compile(r"/report/\d+/read/")):
        report.reload()
    expect(report.get_by_text("It was the wild one.")).to_be_visible()
    expect(report.get_by_role("button", name="I have read it")).to_be_hidden()
    report.goto(urljoin(report.url, "/friends/"))
    expect(report.locator("main h1")).to_be_visible()
    expect(report.locator(".call--answer")).to_have_count(0)


def test_limits_are_set_by_the_keyboard_on_a_narrow_page(visitor: Callable[..., Page]) -> None:
    page = visitor(360, 740)
    sign_up(page)
    page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/")[2] + "/account/care/")
    page.locator("#id_FUN-day").focus()
    page.keyboard.type("500")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your limit is set and holds from now on.")).to_be_visible()
    page.locator("#id_FUN-day").fill("900")
    page.keyboard.press("Enter")
    expect(page.get_by_text("900 chips", exact=True)).to_be_visible()
    page.get_by_role("button", name="Take it back").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your limit stays as it is.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_break_that_is_refused_shows_where_and_keeps_the_focus_there(visitor: Callable[..., Page]) -> None:
    page = visitor(360, 740)
    become_somebody(page)
    page.goto(urljoin(page.url, "/account/care/"))
    # As if it was accepted: the browser writes of every answer of 400 that it is a fault.
    page.route("**/account/care/", lambda route: route.fulfill(response=route.fetch(), status=200))
    page.get_by_role("button", name="Begin the break").click()
    expect(page.get_by_label("24 hours")).to_be_focused()
    expect(page.locator(".break .field-error").first).to_be_in_viewport(ratio=1)
