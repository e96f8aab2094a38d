"""Staff of finance export the ledger and follow the progress."""

import csv
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.platform import Platform
from tests.system.browser.steps import NARROW, WIDE, on_every_screen, sign_up

pytestmark = pytest.mark.browser

#: The demo staff of an installation for a trial.
STAFF = "run-thirteen"


def test_an_export_tells_how_far_it_is_and_comes_again_the_same(
    visitor: Callable[..., Page], platform: Platform
) -> None:
    sign_up(visitor())
    page = visitor()
    page.goto(platform.address + "/login/")
    page.get_by_label("Name", exact=True).fill("finance")
    page.locator("input[type=password]").fill(STAFF)
    page.locator("input[type=password]").press("Enter")
    page.wait_for_url(re.compile(r"^[^?]*/(?!login)"))
    page.goto(platform.address + "/finance/exports/")
    page.locator("#export").get_by_label("Format").select_option("csv")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export", exact=True).press("Enter")
    expect(page.get_by_role("main").get_by_role("status")).to_have_text(re.compile(r"^All [0-9,]+ rows are written"))
    expect(page.get_by_role("button", name="Export", exact=True)).to_be_enabled()
    with download.value.path().open(newline="", encoding="utf-8") as text:
        lines = list(csv.reader(text))
    totals = {line[1]: line[2] for line in lines if line[0] == "total"}
    assert int(totals["rows"]) == len(lines) - 1 - len(totals) > 0
    sign_up(visitor())
    page.reload()
    for _ in on_every_screen(page, WIDE, NARROW):
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    with page.expect_download() as again:
        page.get_by_role("button", name="The same file").first.press("Enter")
    assert again.value.path().read_bytes() == download.value.path().read_bytes()
