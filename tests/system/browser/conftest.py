"""Chromium on the real platform."""

import shutil
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.platform import Platform

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
#: Pages that draw the browser's own window, which nobody sees: each would have a process.
NOT_SHOWN = "WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup,InitialWebUI,PreloadTopChromeWebUI"

LAST_WORDS = """() => [document.body.dataset.phase, ...["#link-banner", "#status", "#panel", "dialog[open]"].map(
    (each) => document.querySelector(each)?.innerText.replaceAll("\\n", " ")).filter(Boolean)].join(" | ")"""
FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


@pytest.fixture(scope="package")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """One for all modules: nobody here depends on what others have left behind."""
    running = Platform(Path(tmp_path_factory.mktemp("browser")))
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=[f"--disable-features={NOT_SHOWN}"])
        yield launched
        launched.close()


@pytest.fixture
def visitor(browser: Browser, platform: Platform, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Opens the lobby as somebody new; at the end of the test no page may have reported an error.

    Where the test fails, it is told what its pages showed, and what the platform last wrote.
    """
    faults: list[str] = []
    contexts = []

    def open_page(width: int = 1440, height: int = 900, **options: object) -> Page:
        """Open a window of this size; cards do not fly in it unless the options ask for motion."""
        asked: dict[str, Any] = {"viewport": {"width": width, "height": height}, "reduced_motion": "reduce", **options}
        context = browser.new_context(**asked)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if _is_fault(message) else None)
        page.goto(platform.address)
        return page

    yield open_page
    if request.node.stash.get(FAILED, False):
        for page in (page for context in contexts for page in context.pages):
            print(page.url, page.evaluate(LAST_WORDS))
        print(platform.log("web")[-3000:])
    for context in contexts:
        context.close()
    assert faults == []


def _is_fault(message: object) -> bool:
    """A lost connection is reported by the browser itself; everything else is a fault of the page."""
    text, kind = getattr(message, "text", ""), getattr(message, "type", "")
    lost = ("ERR_CONNECTION_REFUSED", "net::ERR_FAILED", "WebSocket connection to")
    return kind == "error" and not any(expected in text for expected in lost)
