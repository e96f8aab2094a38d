"""What the lobby and the pages of tournaments say of their line, and how they come back to what there is by now."""

import json
import re
from collections.abc import Callable
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

pytestmark = pytest.mark.browser


class Line:
    """The sockets of a page, which can be cut and kept shut."""

    def __init__(self, page: Page) -> None:
        self.is_cut = False
        self._sockets: list[WebSocketRoute] = []
        page.route_web_socket(re.compile("/ws/lobby/"), self._open)

    def _open(self, socket: WebSocketRoute) -> None:
        if self.is_cut:
            socket.close(code=1012)
            return
        socket.connect_to_server()
        self._sockets.append(socket)

    def say(self, **message: object) -> None:
        self._sockets[-1].send(json.dumps(message))

    def cut(self) -> None:
        self.is_cut = True
        for socket in self._sockets:
            socket.close(code=1012)
        self._sockets.clear()


@pytest.mark.parametrize("path", ["/tournaments/", "a tournament", "/"])
def test_a_page_says_that_its_line_is_lost_and_that_it_is_back(visitor: Callable[..., Page], path: str) -> None:
    page = visitor()
    line = Line(page)
    if path == "a tournament":
        page.goto(urljoin(page.url, "/tournaments/"))
        path = str(page.locator("#live a[href]").first.get_attribute("href"))
    page.goto(urljoin(page.url, path))
    said = page.locator("#connection")
    expect(said).to_have_text("Live")
    line.cut()
    expect(said).to_have_text("Reconnecting…")
    with page.expect_request("**/now/**"):
        line.is_cut = False
    expect(said).to_have_text("Live")


def test_the_lobby_asks_again_after_a_look_that_failed_and_says_meanwhile_that_it_is_old(
    visitor: Callable[..., Page],
) -> None:
    page = visitor()
    page.route("**/lobby/now/**", lambda route: route.abort())
    page.goto(urljoin(page.url, "/"))
    said = page.locator("#connection")
    expect(said).to_have_text("Not up to date")
    page.wait_for_event("requestfailed", lambda request: "/lobby/now/" in request.url)
    page.unroute("**/lobby/now/**")
    expect(said).to_have_text("Live")


def test_the_lobby_stays_on_the_screen_where_its_list_cannot_be_brought_anew(visitor: Callable[..., Page]) -> None:
    page = visitor()
    line = Line(page)
    page.goto(urljoin(page.url, "/"))
    said = page.locator("#connection")
    expect(said).to_have_text("Live")
    page.evaluate("window.isKept = true")
    page.route("**/", lambda route: route.abort() if route.request.resource_type == "fetch" else route.fallback())
    with page.expect_event("requestfailed"):
        line.say(type="stake", stake={"id": 1_000_000})
    expect(said).to_have_text("Not up to date")
    page.unroute("**/")
    expect(said).to_have_text("Live")
    assert page.evaluate("window.isKept")
