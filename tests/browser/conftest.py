"""Chromium on the real platform."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.live.platform import Platform

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    running = Platform(Path(tmp_path_factory.mktemp("browser")))
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM)
        yield launched
        launched.close()


@pytest.fixture
def visitor(browser: Browser, platform: Platform) -> Iterator[Callable[..., Page]]:
    """Opens the lobby as somebody new; at the end of the test no page may have reported an error."""
    faults: list[str] = []
    contexts = []

    def open_page(width: int = 1440, height: int = 900, **options: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if _is_fault(message) else None)
        page.goto(platform.address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def _is_fault(message: object) -> bool:
    """A lost connection is reported by the browser itself; everything else is a fault of the page."""
    text, kind = getattr(message, "text", ""), getattr(message, "type", "")
    lost = ("ERR_CONNECTION_REFUSED", "WebSocket connection to")
    return kind == "error" and not any(expected in text for expected in lost)
