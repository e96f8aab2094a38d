"""The quick seat, tables on the players' own terms, and the rematch."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client as DjangoClient
from django.utils import timezone

from lobby.friends import friends, invitations
from lobby.friends.models import Invitation, Rematch
from lobby.models import Player
from lobby.stakes import services as stakes
from rules.books import BOOKS
from tables.log import reading
from tables.models import Match, Seating, Table
from tables.play import presence
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.staff import browser_of
from tests.support.stakes import StakeFactory
from tests.support.tables import Client
from tests.support.world import World, isolated_world
from wallet.ledger import selectors as ledger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


Sent = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def world() -> Iterator[World]:
    with isolated_world() as world:
        yield world


def test_a_quick_seat_prefers_waiting_people_at_an_affordable_stake(asha: Player, ravi: Player) -> None:
    cheap, good, dear = StakeFactory(), StakeFactory(point_value=2, seats=6), StakeFactory(point_value=50)
    stakes.quick_seat(stake_id=dear.pk, user=signed_up())
    waiting = stakes.quick_seat(stake_id=good.pk, user=ravi)
    status, content = Program(asha).post("families/points/seats/")
    assert (status, content["table"]) == (200, waiting.table_id)
    assert Program(asha).post("families/points/seats/") == (200, content), "the same seat again"
    in_play = next(balance for balance in ledger.balances(asha) if balance["currency"] == "FUN")["in_play"]
    assert in_play == 1_000, "a tenth of what one has"
    assert cheap.pk != good.pk


def test_an_empty_lobby_seats_at_the_last_or_the_cheapest_stake(asha: Player) -> None:
    StakeFactory(point_value=3)
    cheap = StakeFactory(point_value=1)
    seating = Seating.objects.get(table=Program(asha).post("families/points/seats/")[1]["table"], user=asha)
    assert seating.table.stake_id == cheap.pk
    assert Program(asha).post("families/pool/seats/")[0] == 404
    assert Program(asha).post("families/no-such/seats/")[0] == 404


def test_an_own_table_has_no_fee_and_the_chosen_clocks_and_deals(asha: Player, ravi: Player) -> None:
    terms = {"book": "standard-deals-3", "deals": 5, "entry": 40, "turn_seconds": 60, "result_seconds": 20}
    status, content = Program(asha).post("private/", terms)
    assert status == 201
    table = Table.objects.get(private_code=content["code"])
    state = reading.latest_state(table)
    assert (state.terms.fee_percent, state.terms.entry, state.book.deals) == (0, 40, 5)
    assert (state.terms.clocks.turn, state.terms.clocks.result, state.terms.clocks.extra) == (60_000, 20_000, 30_000)
    assert BOOKS["standard-deals-3"].deals == 3
    browser = browser_of(ravi)
    page = browser.get(f"/private/{content['code']}/").content.decode()
    assert "Best of 5" in page and "60 s a turn" in page and "40 chips" in page and "none" in page
    picture = browser.get(f"/private/{content['code']}/code.svg")
    assert picture["content-type"] == "image/svg+xml" and picture.content.startswith(b"<svg")
    assert browser.get("/private/NOSUCH22/code.svg").status_code == 404
    assert browser.post(f"/private/{content['code']}/", {"buy_in": ""}).status_code == 302
    assert Seating.objects.get(user=ravi, left_at=None).table_id == table.pk


#: Terms that are refused, and the field that is named.
BEYOND: list[tuple[dict[str, Any], str]] = [
    ({"book": "no-such"}, "book"),
    ({"book": "standard-points", "seats": 7}, "seats"),
    ({"book": "standard-deals-3", "seats": 3}, "seats"),
    ({"book": "standard-deals-3", "deals": 0}, "deals"),
    ({"book": "standard-deals-3", "deals": 11}, "deals"),
    ({"book": "standard-points", "turn_seconds": 9}, "turn_seconds"),
    ({"book": "standard-points", "turn_seconds": 121}, "turn_seconds"),
    ({"book": "standard-points", "point_value": 0}, "point_value"),
    ({"book": "standard-pool-101", "entry": 100_001}, "entry"),
    ({}, "book"),
]


def test_terms_beyond_their_limits_open_no_table(asha: Player) -> None:
    program, browser = Program(asha), browser_of(asha)
    for wrong, field in BEYOND:
        status, content = program.post("private/", wrong)
        assert status == 400 and field in content["fields"], wrong
        assert browser.post("/private/new/", wrong).status_code == 400, wrong
        assert not Table.objects.exists(), wrong


def test_every_book_can_be_played_among_friends(asha: Player) -> None:
    browser = browser_of(asha)
    for key in BOOKS:
        answer = browser.post("/private/new/", {"book": key})
        assert answer.status_code == 302, key
        assert browser.get(answer["location"]).status_code == 200
    assert Table.objects.count() == len(BOOKS)


def finished_match(world: World, seats: int = 2) -> tuple[Table, list[Player]]:
    """Play a pool match to its end, which comes when all but one have left."""
    stake = StakeFactory(pool=True, seats=seats)
    people = [signed_up() for _ in range(seats)]
    tables = [stakes.quick_seat(stake_id=stake.pk, user=player).table for player in people]
    world.clock.wait(1)
    world.deal(tables[0])
    for player in people[1:]:
        number = Seating.objects.get(user=player, left_at=None)
        Seating.objects.filter(pk=number.pk).update(connection="c")
        assert Client(tables[0].pk, player, "c").send("leave")["type"] == "ack"
    assert Match.objects.get(table=tables[0]).status == Match.Status.SETTLED
    return tables[0], people


def test_a_rematch_has_one_table_and_the_same_terms(world: World) -> None:
    table, (asha, ravi) = finished_match(world)
    match = Match.objects.get(table=table)
    assert Program(asha).get(f"tables/{table.pk}/company/")[1]["rematch"] == match.pk
    status, first = Program(asha).post(f"matches/{match.pk}/rematch/")
    assert status == 200
    (invitation,) = invitations.open_invitations(ravi)
    assert invitation.is_rematch and invitation.by == asha
    assert Program(ravi).post(f"matches/{match.pk}/rematch/")[1]["table"] == first["table"]
    again = Table.objects.get(pk=first["table"])
    assert again.terms == Table.objects.get(pk=table.pk).terms and again.stake_id == table.stake_id
    assert again.private_code and Rematch.objects.count() == 1
    assert not invitations.open_invitations(ravi)
    assert Program(asha).post(f"matches/{match.pk}/rematch/") == (200, first), "the same seat again"


def test_a_rematch_is_for_players_of_the_match_and_expires(world: World) -> None:
    table, (asha, _) = finished_match(world)
    match = Match.objects.get(table=table)
    assert Program(signed_up()).post(f"matches/{match.pk}/rematch/")[1]["code"] == "not_found"
    Match.objects.update(ended_at=timezone.now() - timedelta(minutes=11))
    assert Program(asha).post(f"matches/{match.pk}/rematch/")[1]["code"] == "not_found"
    assert Program(asha).get(f"tables/{table.pk}/company/")[1]["rematch"] is None


def test_a_match_of_a_tournament_is_not_played_again(world: World) -> None:
    """Its chips are nobody's own: nobody could sit down with them."""
    table, (asha, _) = finished_match(world)
    Table.objects.filter(pk=table.pk).update(tournament_id=1)
    match = Match.objects.get(table=table)
    assert Program(asha).get(f"tables/{table.pk}/company/")[1]["rematch"] is None
    assert Program(asha).post(f"matches/{match.pk}/rematch/")[1]["code"] == "not_found"
    assert not Rematch.objects.exists()


def test_an_unaffordable_rematch_opens_no_table_and_invites_nobody(world: World) -> None:
    table, (asha, ravi) = finished_match(world)
    stake = stakes.offered_stake(table.stake_id or 0)
    stake.active = False
    stake.save()
    match = Match.objects.get(table=table)
    assert Program(asha).post(f"matches/{match.pk}/rematch/")[1]["code"] == "not_found"
    assert not Rematch.objects.exists() and not invitations.open_invitations(ravi)


def test_blocked_players_are_not_invited_to_a_rematch(world: World) -> None:
    table, (asha, ravi) = finished_match(world)
    friends.block_player(player=ravi, other=asha)
    Program(asha).post(f"matches/{Match.objects.get(table=table).pk}/rematch/")
    assert not Invitation.objects.exists()


def test_the_link_shows_a_visitor_who_invites_them_and_seats_them_as_a_guest(asha: Player) -> None:
    """The page names the host and the terms, and nobody else; a guest comes to the form of the buy-in."""
    _, content = Program(asha).post("private/", {"book": "standard-pool-101", "entry": 40})
    path = f"/private/{content['code']}/"
    ravi = signed_up("ravi")
    assert browser_of(ravi).post(path, {"buy_in": ""}).status_code == 302
    visitor = DjangoClient()
    page = visitor.get(path).content.decode()
    assert "asha invites you to Pool Rummy 101" in page
    assert 'property="og:title" content="asha invites you to Pool Rummy 101"' in page
    assert "40 chips" in page and "Play as guest" in page
    assert f"/login/?next={path}" in page and "ravi" not in page
    assert visitor.post(path)["Location"] == path
    guest = Player.objects.get(is_guest=True)
    assert "sit down" in visitor.get(path).content.decode()
    assert visitor.post(path, {"buy_in": ""}).status_code == 302
    assert Seating.objects.get(user=guest, left_at=None).table.private_code == content["code"]


def test_a_visitor_with_a_wrong_code_is_told_so(client: DjangoClient) -> None:
    page = client.get("/private/NOSUCHCO/", follow=True)
    assert page.redirect_chain == [("/", 302)]
    assert "No table has this code" in page.content.decode()


def test_an_invitation_to_a_full_table_says_so_and_makes_no_guest_of_anybody(asha: Player, ravi: Player) -> None:
    _, content = Program(asha).post("private/", {"book": "standard-points", "seats": 2})
    for player in (asha, ravi):
        Program(player).post(f"private/{content['code']}/seats/")
    path = f"/private/{content['code']}/"
    page = DjangoClient().get(path).content.decode()
    assert "Nobody can sit down there just now" in page and "Play as guest" not in page
    late = browser_of(signed_up()).get(path).content.decode()
    assert "Nobody can sit down there just now" in late and 'name="buy_in"' not in late
    own = browser_of(ravi).get(path).content.decode()
    assert f'href="/tables/{Table.objects.get().pk}/">To your table' in own and 'name="buy_in"' not in own


def test_a_number_of_seats_that_the_game_lacks_is_refused_in_the_readers_words_and_stays(asha: Player) -> None:
    fields = {"book": "standard-deals-3", "seats": "4"}
    page = browser_of(asha).post("/private/new/", fields, HTTP_ACCEPT_LANGUAGE="hi").content.decode()
    seats = page.split('id="id_seats_helptext"')
    assert "यह 2 या उससे कम होना चाहिए।" in seats[1].split('class="field"')[0] and 'value="4"' in seats[0]
    assert "players" not in page


def test_friends_who_sit_at_the_table_are_not_offered_as_guests_to_it(asha: Player, ravi: Player) -> None:
    friends.ask_friend(player=asha, other=ravi)
    friends.accept_friend(player=ravi, other=asha)
    presence.note_alive(asha.pk)
    _, content = Program(asha).post("private/", {"book": "standard-points"})
    browser = browser_of(ravi)
    offer = f'name="player" value="{asha.pk}"'
    assert offer in browser.get(f"/private/{content['code']}/").content.decode()
    Program(asha).post(f"private/{content['code']}/seats/")
    assert offer not in browser.get(f"/private/{content['code']}/").content.decode()
