"""Chromium on the real platform."""

import json
import shutil
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, WebSocket, expect, sync_playwright

from tests.doors import BROWSERS
from tests.support.platform import Platform
from tests.system.browser.steps import DEAL

CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
#: Pages that draw the browser's own window, which nobody sees: each would have a process.
NOT_SHOWN = "WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup,InitialWebUI,PreloadTopChromeWebUI"

LAST_WORDS = """() => [document.body.dataset.phase,
    ...["#link-banner", "#status", "#panel", "dialog[open]", "#toasts"].map(
        (each) => document.querySelector(each)?.innerText.replaceAll("\\n", " "))
].filter(Boolean).join(" | ")"""
#: What a site can store in the browser besides cookies, without what is cached.
STORED = "local_storage,indexeddb,service_workers,cache_storage,websql,file_systems,shader_cache"
FOLLOW_THE_DEVICE = """() => localStorage.setItem("table-settings", '{"look": "device"}')"""
#: The report of a failure has so many frames, and so many characters of each.
LAST_FRAMES, LONGEST = 30, 400
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
    """Run one platform for all modules: no test here depends on what others leave behind."""
    with Platform(Path(tmp_path_factory.mktemp("browser"))).started() as running:
        yield running


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Run one browser; what a test expects may take as long as a deal: a busy machine opens a page in ten seconds."""
    expect.set_options(timeout=DEAL)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=[f"--disable-features={NOT_SHOWN}"])
        yield launched
        launched.close()


class Profiles:
    """Browser profiles, lent to one test after the other; only cached scripts and styles stay."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: dict[str, list[BrowserContext]] = defaultdict(list)
        self._lent: dict[BrowserContext, str] = {}

    def lend(self, *, timed: bool = False, **options: Any) -> BrowserContext:
        """Return a profile with these options that knows nothing; one whose time can be stopped is lent only once."""
        kind = "" if timed else json.dumps(options, sort_keys=True)
        idle = self._idle[kind]
        profile = idle.pop() if idle else self._browser.new_context(**options)
        # What a busy machine opens in ten seconds takes half a minute on one that is busier.
        profile.set_default_timeout(DEAL)
        if timed:
            profile.clock.install()
        self._lent[profile] = kind
        return profile

    def take_back(self, *, spoilt: bool) -> None:
        """Empty the profiles that are lent; close those whose time can be stopped, and after a failure all."""
        for profile, kind in self._lent.items():
            if spoilt or not kind:
                profile.close()
            else:
                _empty(profile)
                self._idle[kind].append(profile)
        self._lent.clear()


def _empty(profile: BrowserContext) -> None:
    """Close the pages of the profile and forget what they have stored."""
    last, *others = profile.pages
    origins = {f"{parts.scheme}://{parts.netloc}" for parts in map(urlsplit, (page.url for page in profile.pages))}
    for page in others:
        page.close()
    last.goto("about:blank")
    session = profile.new_cdp_session(last)
    for origin in origins:
        session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": STORED})
    last.close()
    profile.clear_cookies()


@pytest.fixture(scope="package")
def profiles(browser: Browser) -> Profiles:
    return Profiles(browser)


@pytest.fixture
def visitor(profiles: Profiles, platform: Platform, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Return a function that opens the site's empty page as somebody new; at the end no page may have reported an
    error.

    If the test fails, its report contains what its pages showed, the last frames of their sockets, and what the
    platform last wrote.
    """
    faults: list[str] = []
    opened: list[Page] = []
    frames: deque[str] = deque(maxlen=LAST_FRAMES)

    def open_page(width: int = 1440, height: int = 900, **options: object) -> Page:
        """Open a window of this size; cards do not fly in it unless the options ask for motion.

        `timed`: what the page times can be stopped by `stop_time`. `color_scheme`: the device's, which pages follow.
        `service_workers="allow"`: files come by way of the service worker, which costs a fifth more.
        """
        options_of_page: dict[str, Any] = {
            "viewport": {"width": width, "height": height},
            "reduced_motion": "reduce",
            "service_workers": "block",
            **options,
        }
        page = profiles.lend(**options_of_page).new_page()
        opened.append(page)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if _is_fault(message) else None)
        page.on("websocket", note_frames)
        page.goto(platform.address + "/healthz")
        if "color_scheme" in options:
            page.evaluate(FOLLOW_THE_DEVICE)
        return page

    def note_frames(socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: frames.append(f"> {str(frame)[:LONGEST]}"))
        socket.on("framereceived", lambda frame: frames.append(f"< {str(frame)[:LONGEST]}"))

    yield open_page
    failed = request.node.stash.get(FAILED, False)
    if failed:
        for page in (page for first in opened for page in first.context.pages):
            print(page.url, page.evaluate(LAST_WORDS))
        print(*frames, platform.log("web")[-3000:], sep="\n")
    profiles.take_back(spoilt=failed)
    assert faults == []


def _is_fault(message: object) -> bool:
    """Return whether the page is to blame; the browser itself reports a lost connection."""
    text, kind = getattr(message, "text", ""), getattr(message, "type", "")
    lost = ("ERR_CONNECTION_REFUSED", "net::ERR_FAILED", "WebSocket connection to")
    return kind == "error" and not any(expected in text for expected in lost)
