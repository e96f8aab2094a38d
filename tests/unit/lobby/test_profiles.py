"""Profiles: who has one, which parts others see, who is found by name, and that what is hidden looks like nothing."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lobby.friends import friends
from lobby.models import Player
from lobby.profiles import MOST_FOUND, MOST_PLACES, SEARCHES
from tables.models import Deal, Entrant, Match, SharedDeal, Tournament
from tables.play.opening import open_table
from tests.support.clock import Clock
from tests.support.players import signed_up
from tests.support.rated import rated, won
from tests.support.staff import browser_of
from tests.support.stakes import StakeFactory
from tests.support.tournaments import opened

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

NOW = datetime(2026, 11, 17, 20, 0, tzinfo=UTC)
TOKEN = re.compile('value="[^"]{64}"')
PARTS = {
    "ratings": "hides_rating",
    "matches": "hides_matches",
    "places": "hides_places",
    "friends": "hides_friends",
    "deals": "hides_deals",
}


def changed(player: Player, **fields: Any) -> Player:
    for name, value in fields.items():
        setattr(player, name, value)
    player.save()
    return player


def befriend(player: Player, *others: Player) -> None:
    for other in others:
        friends.ask_friend(player=player, other=other)
        friends.accept_friend(player=other, other=player)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"has_profile": True, "is_active": False},
        {"has_profile": True, "is_guest": True},
        {"has_profile": True, "closed_at": NOW, "is_active": False},
    ],
)
def test_who_has_no_page_is_not_told_from_nobody(program: Callable[..., Any], ravi: Player, fields: Any) -> None:
    signed_up("moon", **fields)
    ask, browser = program(ravi), browser_of(ravi)
    assert ask.get("players/moon/") == ask.get("players/nobody/")
    assert ask.get("players/moon/")[0] == 404
    moon, none = (browser.get(f"/players/{name}/").content.decode().replace(name, "") for name in ("moon", "none"))
    assert TOKEN.sub("", moon) == TOKEN.sub("", none)
    assert browser.post("/players/moon/", {"act": "block"}).status_code == 404
    assert not friends.blocked_by(ravi)


def test_only_who_is_signed_in_reads_profiles(program: Callable[..., Any], client: Any, asha: Player) -> None:
    changed(asha, has_profile=True, is_findable=True)
    assert program().get("players/asha/")[0] == program().get("players/?name=as")[0] == 401
    assert client.get("/players/asha/").status_code == client.get("/players/?name=as").status_code == 302


def test_ones_own_page_is_there_without_any_wish(program: Callable[..., Any], asha: Player) -> None:
    status, own = program(asha).get("players/asha/")
    assert status == 200 and own["friends"] is None and own["hidden"] == []
    page = browser_of(asha).get("/players/asha/").content.decode()
    assert "Only you see this page" in page and "No rated match yet." in page and 'value="block"' not in page


@pytest.mark.databases
def test_a_profile_goes_by_the_name_that_others_see(program: Callable[..., Any], asha: Player, ravi: Player) -> None:
    changed(asha, has_profile=True, is_findable=True, display_name="Moon River")
    ask = program(ravi)
    assert ask.get("players/moon%20river/")[1]["name"] == "Moon River"
    assert ask.get("players/asha/")[0] == 404, "the name of the sign-in tells nobody whose it is"
    assert ask.get("players/asha/rating/")[0] == 404 == ask.post("friends/", {"name": "asha"})[0]
    assert ask.get("players/moon%20river/rating/")[0] == 200 == ask.post("friends/", {"name": "moon river"})[0]
    assert program(asha).get("players/asha/rating/")[1]["name"] == "Moon River"
    assert [row["name"] for row in ask.get("players/?name=moon")[1]["results"]] == ["Moon River"]
    assert ask.get("players/?name=asha")[1]["results"] == []


@pytest.fixture
def full(clock: Clock, asha: Player, ravi: Player) -> Player:
    """Return asha with something in every part of her profile."""
    rated("asha", 1500, matches=40)
    for hour, rating in enumerate((25, 27, 26)):
        won(asha, 1, NOW + timedelta(hours=hour), number=30 + hour, mu=rating, shows=2)
    tournament = opened(clock, title="Evening")
    Entrant.objects.create(tournament=tournament, user=asha, name="asha", place=2)
    Tournament.objects.filter(pk=tournament.pk).update(status="over", over_ms=clock.now, entered=6)
    bela = signed_up("bela")
    befriend(bela, asha, ravi)
    return changed(asha, has_profile=True)


@pytest.mark.databases
def test_a_profile_has_ratings_matches_places_and_friends(
    program: Callable[..., Any], full: Player, ravi: Player
) -> None:
    _, seen = program(ravi).get("players/asha/")
    [family] = seen["ratings"]
    assert (family["rating"], family["place"]) == (1500, 1)
    assert [point["rating"] for point in family["curve"]] == [1040, 1120, 1080]
    assert seen["matches"] == [{"family": "points", "matches": 3, "shows": 6}]
    [place] = seen["places"]
    assert (place["title"], place["place"], place["entered"]) == ("Evening", 2, 6)
    assert seen["friends"] == ["bela"] and seen["deals"] == [] and seen["hidden"] == []
    page = browser_of(ravi).get("/players/asha/").content.decode()
    assert 'd="M0.00 160.00 L320.00 0.00 L640.00 80.00"' in page and "between 1040 and 1120, now 1500" in page
    assert "Place 2 of 6" in page and "bela" in page


def test_a_hidden_part_is_seen_by_oneself_alone(program: Callable[..., Any], full: Player, ravi: Player) -> None:
    before = browser_of(ravi).get("/players/asha/").content.decode()
    for part, column in PARTS.items():
        changed(full, **{column: True})
        _, seen = program(ravi).get("players/asha/")
        assert seen[part] is None and seen["hidden"] == []
        assert all(seen[other] is not None for other in PARTS.keys() - {part})
        after = browser_of(ravi).get("/players/asha/").content.decode()
        assert len(after) < len(before) and "Hidden from others" not in after, part
        _, own = program(full).get("players/asha/")
        assert own["hidden"] == [part] and (own[part] is not None or part == "friends")
        changed(full, **{column: False})


def test_the_ratings_tell_nothing_of_matches_and_places_that_are_hidden(
    program: Callable[..., Any], full: Player, ravi: Player
) -> None:
    won(full, 1, NOW + timedelta(hours=9), number=33, kind="arena", place=2)

    def told(reader: Player) -> list[Any]:
        [[of_profile], [of_rating]] = (
            program(reader).get("players/asha/")[1]["ratings"],
            program(reader).get("players/asha/rating/")[1]["families"],
        )
        assert of_profile == of_rating
        return [of_rating["matches"], *(point["place"] for point in of_rating["curve"])]

    changed(full, hides_places=True)
    assert (told(ravi), told(full)) == ([40, 1, 1, 1, None], [40, 1, 1, 1, 2])
    changed(full, hides_matches=True)
    assert (told(ravi), told(full)) == ([None], [40, 1, 1, 1, 2])
    page = browser_of(ravi).get("/players/asha/").content.decode()
    assert "1500" in page and "plot" not in page


def test_a_friend_who_hides_it_is_named_on_no_friends_page(
    program: Callable[..., Any], full: Player, ravi: Player
) -> None:
    Player.objects.filter(username="bela").update(hides_friends=True)
    assert program(ravi).get("players/asha/")[1]["friends"] == []


@pytest.mark.databases
def test_removed_withdrawn_and_running_places_do_not_count(
    program: Callable[..., Any], clock: Clock, full: Player, ravi: Player
) -> None:
    for number, (status, tournament_status) in enumerate(
        (("removed", "over"), ("withdrawn", "over"), ("out", "running"), *[("out", "over")] * 6)
    ):
        tournament = opened(clock, title=f"No. {number}")
        Entrant.objects.create(tournament=tournament, user=full, name="asha", place=1, status=status)
        Tournament.objects.filter(pk=tournament.pk).update(status=tournament_status, entered=number)
    places = program(ravi).get("players/asha/")[1]["places"]
    assert [place["title"] for place in places] == [f"No. {number}" for number in (8, 7, 6, 5, 4)]
    assert len(places) == MOST_PLACES


@pytest.mark.databases
def test_only_deals_of_open_tables_that_are_shared_with_names_are_listed(
    program: Callable[..., Any], asha: Player, ravi: Player
) -> None:
    changed(asha, has_profile=True)
    stake = StakeFactory()

    def share(token: str, *, ended: bool = True, names_hidden: bool = False, revoked: bool = False, **of: Any) -> None:
        table = open_table(terms=stake.terms(), title=token, currency="FUN", **of)
        match = Match.objects.create(table=table, book=table.book, book_version=1)
        deal = Deal.objects.create(
            match=match, number=1, book=table.book, book_version=1, sealed_seed=b"", ended_at=NOW if ended else None
        )
        revoked_at = NOW if revoked else None
        SharedDeal.objects.create(deal=deal, user=asha, token=token, names_hidden=names_hidden, revoked_at=revoked_at)

    share("open", stake_id=stake.pk)
    share("running", stake_id=stake.pk, ended=False)
    share("unnamed", stake_id=stake.pk, names_hidden=True)
    share("revoked", stake_id=stake.pk, revoked=True)
    share("private", private_code="ABCDEFGH")
    share("practice", practice_for=asha)
    [link] = program(ravi).get("players/asha/")[1]["deals"]
    assert link == {"title": "open", "ended_at": "2026-11-17T20:00:00Z", "address": "/shared/open/"}
    assert 'href="/shared/open/"' in browser_of(ravi).get("/players/asha/").content.decode()


@pytest.mark.databases
def test_who_is_found_by_name(program: Callable[..., Any], ravi: Player) -> None:
    for name, fields in {
        "moon-1": {"is_findable": True},
        "moon-2": {"is_findable": True, "has_profile": True},
        "moon-3": {},
        "moon-4": {"is_findable": True, "is_active": False},
        "full-moon": {"is_findable": True},
    }.items():
        signed_up(name, **fields)
    ask = program(changed(ravi, is_findable=True))
    assert [(row["name"], row["has_page"]) for row in ask.get("players/?name=MOON")[1]["results"]] == [
        ("moon-1", False),
        ("moon-2", True),
    ]
    assert ask.get("players/?name=ra")[1]["results"] == [], "oneself is not looked for"
    assert ask.get("players/?name=m")[0] == 400 and ask.get("players/?name=%25%25")[1]["results"] == []
    page = browser_of(ravi).get("/players/?name=moon").content.decode()
    assert "/players/moon-2/" in page and "moon-1" in page and "/players/moon-1/" not in page
    assert "Nobody who wishes" in browser_of(ravi).get("/players/?name=zz").content.decode()


@pytest.mark.databases
def test_a_search_is_bounded_and_counted(program: Callable[..., Any], ravi: Player) -> None:
    for number in range(MOST_FOUND + 2):
        signed_up(f"star-{number:02}", is_findable=True)
    ask = program(ravi)
    assert len(ask.get("players/?name=star")[1]["results"]) == MOST_FOUND
    answers = [ask.get("players/?name=star")[0] for _ in range(SEARCHES.tries)]
    assert answers == [200] * (SEARCHES.tries - 1) + [429]
    assert browser_of(ravi).get("/players/?name=star").status_code == 429


def test_wishes_are_set_on_the_account_page_and_guests_have_none(asha: Player) -> None:
    browser = browser_of(asha)
    browser.post("/account/", {"display_name": "", "has_profile": "on", "is_findable": "on", "hides_deals": "on"})
    asha.refresh_from_db()
    assert asha.has_profile and asha.is_findable and asha.hides_deals and not asha.hides_matches
    browser.post("/account/", {"display_name": ""})
    asha.refresh_from_db()
    assert not asha.has_profile and not asha.is_findable
    guest = signed_up("guest-like", is_guest=True)
    assert "has_profile" not in browser_of(guest).get("/account/").content.decode()


def test_boards_and_friends_lead_to_the_page_of_who_has_one(asha: Player, ravi: Player) -> None:
    rated("asha", 1500)
    befriend(asha, ravi)
    browser = browser_of(ravi)
    for address in ("/boards/", "/friends/"):
        assert "/players/asha/" not in browser.get(address).content.decode()
    changed(asha, has_profile=True)
    for address in ("/boards/", "/friends/"):
        assert '<a href="/players/asha/">asha</a>' in browser.get(address).content.decode()


def test_standings_lead_to_the_page_of_who_has_one(full: Player, ravi: Player) -> None:
    address = f"/tournaments/{Tournament.objects.get().pk}/"
    Entrant.objects.filter(user=full).update(name="asha of old")
    assert '<a href="/players/asha/">asha of old</a>' in browser_of(ravi).get(address).content.decode()
    changed(full, has_profile=False)
    page = browser_of(ravi).get(address).content.decode()
    assert "asha of old" in page and "/players/" not in page


def test_a_stranger_is_blocked_from_their_page(asha: Player, ravi: Player) -> None:
    changed(asha, has_profile=True)
    browser = browser_of(ravi)
    assert browser.post("/players/asha/", {"act": "block"}).status_code == 302
    assert list(friends.blocked_by(ravi)) == [asha.pk]
    assert "Unblock" in browser.get("/players/asha/").content.decode()
    browser.post("/players/asha/", {"act": "unblock"})
    assert not friends.blocked_by(ravi)
