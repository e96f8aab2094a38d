"""Tournaments, boards, days, profiles and all to study, on three screens, in both languages, by axe and by keys."""

import contextlib
import re
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.support.platform import DATABASE, Platform, wait_until
from tests.system.browser.axe import faults
from tests.system.browser.steps import NARROW, WIDE, at_a_table, end_the_deal, pass_turn, post, prefer

pytestmark = pytest.mark.browser

#: By language, the windows, with the scheme in which axe-core looks at the page there; in the first also the keys walk.
SCREENS = {
    "en-GB": ((WIDE, "dark"), ((820, 1180), "light"), (NARROW, "")),
    "hi-IN": ((NARROW, "dark"), ((820, 1180), ""), (WIDE, "")),
}
#: A knock-out of two computer players that is over within seconds, an arena that runs, ratings on a board, profiles,
#: and a friend: all but the ratings by the product's own services. Printed are the ids of knock-out and arena.
SCENE = """
import json
from datetime import timedelta
from django.utils import timezone
from lobby.models import Player
from lobby.ratings.models import Contest, RatedResult, Rating
from tables.models import Entrant, Template, Tournament
from tables.play import store
from tables.tournaments import offers, services
now = store.now_ms()
def made(title, number, **rules):
    template = Template.objects.create(title=title, active=False, **rules)
    tournament = offers.make_tournament(template, starts_ms=now + 2_000, opens_ms=now - 1)
    Entrant.objects.bulk_create(Entrant(tournament=tournament, name=f"computer {{each}}") for each in range(number))
    Tournament.objects.filter(pk=tournament.pk).update(entered=number, status="open", next_ms=now + 2_000)
    return tournament
short = made("A short one", 2, kind="knockout", book="standard-deals-6", seats=2, deals=1, most=2)
arena = made("A long one", 4, kind="arena", book="standard-points", minutes=60, most=9, prizes=[60, 40])
me = Player.objects.get(username="{name}")
Player.objects.filter(pk__in=[me.pk, Player.objects.get(username="asha").pk]).update(has_profile=True)
services.enter(tournament_id=arena.pk, user=me)
for number, player in enumerate(Player.objects.filter(username__in=["asha", "ravi", me.username])):
    skill = dict(player=player, family="points", mu=26 + number, sigma=2)
    Rating.objects.create(shown=1_000 + 40 * number, matches=40, **skill)
    for match in range(8):
        of = dict(family="points", ended_at=timezone.now() - timedelta(minutes=match))
        contest = Contest.objects.create(kind="series", ref=-100 * number - match, weight=1, **of)
        RatedResult.objects.create(contest=contest, number=33 + match, place=1, shows=3, won=5 - match, **skill | of)
print(json.dumps([short.pk, arena.pk]))
"""
#: The ratings are of no contest that was played: nothing of them stays.
GONE = """
from lobby.models import Player
from lobby.ratings.models import Contest, Rating
Contest.objects.filter(ref__lte=0).delete()
Rating.objects.filter(matches=40).delete()
Player.objects.filter(username="asha").update(has_profile=False)
"""
#: Where a run of puzzles begins.
RUN = "/study/puzzles/run/"


@pytest.fixture
def evening(visitor: Callable[..., Page], platform: Platform) -> Iterator[tuple[dict[str, object], list[str]]]:
    """Return who is signed in, as their storage, and the paths of the pages."""
    page = visitor()
    at_a_table(page)
    name = page.request.get(urljoin(page.url, "/api/me/")).json()["username"]
    deal = analysed_deal(page)
    short, arena = map(int, re.findall(r"\d+", platform.run_code(SCENE.format(name=name)).splitlines()[-1]))
    for tournament, status in ((short, "over"), (arena, "running")):
        wait_until(partial(has_status, platform, tournament, status), lambda: platform.log("web"))
    paths = [
        "/tournaments/",
        "/tournaments/how-they-work/",
        f"/tournaments/{short}/",
        f"/tournaments/{arena}/",
        "/boards/?family=points&period=all",
        "/boards/?family=points&period=week&by=shows",
        "/daily/",
        "/duplicate/",
        "/study/puzzles/",
        "/study/puzzles/next/",
        RUN,
        f"/history/{deal}/",
        f"/history/{deal}/analysis/",
        f"/board/?deal={deal}",
        "/api/notation/",
        f"/players/{name}/",
        "/players/?q=a",
        "/account/",
    ]
    yield {"cookies": page.context.cookies()}, paths
    platform.run_code(GONE)


def has_status(platform: Platform, tournament: int, status: str) -> bool:
    with contextlib.closing(sqlite3.connect(platform.data / DATABASE, timeout=20)) as database:
        found = database.execute("SELECT 1 FROM tables_tournament WHERE (id, status) = (?, ?)", [tournament, status])
        return found.fetchone() is not None


def analysed_deal(page: Page) -> int:
    """Play a turn, drop, and have the deal analysed; return it."""
    pass_turn(page)
    end_the_deal(page)

    def told(address: str) -> Any:
        return page.request.get(urljoin(page.url, address)).json()

    # The API answers an account 240 calls a minute, and on a busy machine this takes longer than so many looks.
    wait = partial(wait_until, pause=0.5)
    wait(lambda: bool(told("/api/history/")["results"]))
    deal = int(told("/api/history/")["results"][0]["deal"])
    post(page, f"/api/deals/{deal}/analysis/", samples=10)
    wait(lambda: bool(told(f"/api/deals/{deal}/analysis/")["status"] == "done"))
    return deal


def stations(page: Page, path: str) -> Iterator[str]:
    """Go to the page, and on where it begins something; say each time where one is."""
    page.goto(urljoin(page.url, path))
    yield page.url
    if path == RUN:
        page.locator("main form button").click()
        page.wait_for_url("**/run/*/")
        yield page.url


def test_every_page_is_for_everybody(
    visitor: Callable[..., Page], evening: tuple[dict[str, object], list[str]]
) -> None:
    signed_in, paths = evening
    wrong: list[str] = []
    for language, screens in SCREENS.items():
        page = visitor(locale=language, color_scheme="dark")
        page.context.add_cookies(signed_in["cookies"])  # type: ignore[arg-type]
        for address in (address for path in paths for address in stations(page, path)):
            expect(page.locator("h1").first).to_be_visible()
            for (width, height), scheme in screens:
                where = f"{address} at {width}, {language}, {scheme}: "
                page.set_viewport_size({"width": width, "height": height})
                if page.evaluate("document.scrollingElement.scrollWidth > innerWidth"):
                    wrong.append(where + "wider than the window")
                if scheme:
                    prefer(page, scheme)
                    wrong += [where + each for each in faults(page)]
                if scheme == "dark":
                    wrong += [where + each for each in out_of_reach(page)]
    assert not wrong, "\n".join(wrong)


#: What can be pressed and is shown, by what it is: pages renew their lists meanwhile, and links say how long it is yet.
NAMES = """() => { window.nameOf = (each) => [each.localName, each.getAttribute("href")
    ?? `${each.name} ${each.textContent.trim()}`].join(" ").replace(/\\s+/g, " ").slice(0, 90); }"""
PRESSED = """() => [...document.querySelectorAll("main :is(a[href], button, input, select, textarea, summary)")]
    .filter((each) => each.checkVisibility() && !each.disabled && each.tabIndex >= 0 && each.type !== "hidden")
    .map(nameOf)"""
#: What the keys have come to; whether that lies in the window, and whether one sees that it is this.
REACHED = """() => {
    const each = document.activeElement;
    const box = each.getBoundingClientRect();
    const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    const look = getComputedStyle(each);
    return [nameOf(each), inside, look.outlineStyle !== "none" || look.boxShadow !== "none"];
}"""


def out_of_reach(page: Page) -> list[str]:
    """Return what can be pressed and to which no key leads, or where one does not see that one is."""
    page.evaluate(NAMES)
    missing = set(page.evaluate(PRESSED))
    unseen: list[str] = []
    for _ in range(3 * len(missing) + 60):
        page.keyboard.press("Tab")
        name, inside, marked = page.evaluate(REACHED)
        if name in missing and not (inside and marked):
            unseen.append(f"not seen when reached: {name}")
        missing.discard(name)
        if not missing:
            break
    return [f"no key leads to {name}" for name in sorted(missing)] + unseen
