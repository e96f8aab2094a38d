"""Guests: at a table with one click, named in place, deleted if they never played."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lobby.accounts import guests
from lobby.accounts.sign_in import SignUpThrottle
from lobby.models import Player
from lobby.stakes import private_tables, services as stakes
from tables.errors import TableError
from tables.models import Deal, DealSeat, Match, Seating, Table
from tables.play.seating import GUEST_CHIPS, GUEST_DEALS
from tests.support.players import PASSWORD, signed_up
from tests.support.stakes import StakeFactory
from tests.support.tables import connected
from wallet.audit.audit import audit
from wallet.ledger import selectors as ledger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

NAMED = {"username": "nila", "password": PASSWORD}


def guest_in(client: Client) -> Player:
    client.post("/play-now/")
    return Player.objects.get(pk=client.session["_auth_user_id"])


def test_one_click_creates_a_guest_and_seats_them(client: Client) -> None:
    answer = client.post("/play-now/")
    table = Table.objects.get()
    assert answer["Location"] == f"/tables/{table.pk}/"
    guest = Player.objects.get()
    assert (guest.is_guest, guest.has_usable_password(), table.practice_for_id) == (True, False, guest.pk)
    assert client.get(answer["Location"]).status_code == 200
    assert client.get("/api/me/").json()["guest"] is True
    assert client.post("/play-now/")["Location"] == answer["Location"], "again: back to the same seat"
    assert Player.objects.count() == 1


def test_a_signed_in_player_does_not_become_a_guest(client: Client) -> None:
    asha = signed_up("asha")
    client.force_login(asha)
    client.post("/play-now/")
    assert (Player.objects.get(), Seating.objects.get(user=asha).left_at) == (asha, None)


def friends_table(**terms: Any) -> str:
    """Return the code of a table that a named player has opened for friends."""
    stake = StakeFactory.build(title="", fee_percent=0, **terms)
    return private_tables.open_own_table(user=signed_up(), stake=stake)


def finished_deals(player: Player, *others: Player | None, deals: int) -> None:
    """Let the player have finished so many deals with these others; None is a computer player."""
    table = Table.objects.first()
    match = Match.objects.create(table=table, book="standard-points", book_version=1, status=Match.Status.SETTLED)
    for number in range(1, deals + 1):
        deal = Deal.objects.create(match=match, number=number, book="standard-points", book_version=1, sealed_seed=b"")
        for seat, user in enumerate((player, *others)):
            seating = Seating.objects.create(table=table, seat=seat, user=user, name="", freed_at=timezone.now())
            Seating.objects.filter(pk=seating.pk).update(left_at=timezone.now())
            DealSeat.objects.create(deal=deal, seating=seating, user=user, seat=seat, outcome="lost")


def refused(code: str, guest: Player, amount: int | None = None) -> str:
    """Return the refusal of the guest at that table, which has changed nothing."""
    before = ledger.balances(guest)
    with pytest.raises(TableError) as refusal:
        stakes.sit_by_code(code=code, user=guest, amount=amount)
    assert refusal.value.code == "insufficient_balance" and "As a guest" in refusal.value.message
    assert ledger.balances(guest) in (before, [{"currency": "FUN", "free": 10_000, "in_play": 0}])
    assert not Seating.objects.filter(user=guest, left_at=None, table__private_code=code).exists()
    return str(refusal.value.message)


def test_a_guest_sits_at_a_table_of_friends_but_cannot_bring_all_that_guests_are_given() -> None:
    guest = guests.create_guest()
    assert "400 chips" in refused(friends_table(point_value=125, entry=None), guest)
    refused(friends_table(book="standard-pool-101", point_value=None, entry=10_000), guest)
    usual = friends_table(point_value=1, entry=None)
    refused(usual, guest, 401)
    seating = stakes.sit_by_code(code=usual, user=guest)
    assert ledger.stack(seating.pk) == GUEST_CHIPS
    assert "0 chips" in refused(friends_table(point_value=1, entry=None), guest), "what is in play counts"
    more = connected(seating.table, guest).send("add_chips", amount=1)
    assert more["code"] == "insufficient_balance"


def test_deals_among_people_free_the_chips_of_a_guest() -> None:
    guest, dear = guests.create_guest(), friends_table(point_value=125, entry=None)
    guests.ensure_wallet(guest)
    finished_deals(guest, None, deals=GUEST_DEALS)
    finished_deals(guest, signed_up(), deals=GUEST_DEALS - 1)
    refused(dear, guest)
    finished_deals(guest, signed_up(), None, deals=1)
    assert ledger.stack(stakes.sit_by_code(code=dear, user=guest).pk) == 10_000


def test_a_guest_is_seated_in_a_family_with_what_they_may_bring() -> None:
    StakeFactory(point_value=1, entry=None)
    StakeFactory(point_value=10, entry=None)
    seating = stakes.seat_in_family(family="points", user=guests.create_guest())
    assert ledger.stack(seating.pk) == GUEST_CHIPS


@pytest.mark.parametrize("way", ["/signup/", "/api/auth/signup/"])
def test_signing_up_names_the_guest_in_place(client: Client, way: str) -> None:
    guest = guest_in(client)
    seat = Seating.objects.get(user=guest)
    assert ledger.balances(guest) == [], "practice is not for chips of one's own"
    answer = client.post(way, NAMED, **({"content_type": "application/json"} if "api" in way else {}))
    assert answer.status_code in (201, 200)
    player = Player.objects.get()
    assert (player.pk, player.username, player.is_guest) == (guest.pk, "nila", False)
    assert player.check_password(PASSWORD)
    assert ledger.balances(player) == [{"currency": "FUN", "free": 10_000, "in_play": 0}]
    assert Seating.objects.get(user=player) == seat
    assert client.get("/api/me/").json()["username"] == "nila", "still signed in"
    assert client.get("/signup/").status_code == 302, "there is nothing left to choose"


def test_a_guest_at_a_stake_has_the_chips_of_a_new_player_and_keeps_them(client: Client) -> None:
    guest, stake = guest_in(client), StakeFactory()
    assert client.post(f"/sit/{stake.pk}/", {"buy_in": "100"})["Location"].startswith("/tables/")
    assert ledger.balances(guest) == [{"currency": "FUN", "free": 9_900, "in_play": 100}]
    client.post("/signup/", NAMED)
    assert ledger.balances(guest) == [{"currency": "FUN", "free": 9_900, "in_play": 100}]
    assert not audit().differences


def test_a_taken_name_is_refused_and_the_guest_stays_one(client: Client) -> None:
    signed_up("nila")
    guest = guest_in(client)
    assert client.post("/signup/", NAMED).status_code == 400
    guest.refresh_from_db()
    assert guest.is_guest


def test_a_guest_may_sign_in_to_the_account_they_have(client: Client) -> None:
    asha = signed_up("asha")
    guest_in(client)
    assert client.get("/login/").status_code == 200
    client.post("/login/", {"username": "asha", "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(asha.pk)


def test_guests_cannot_sign_in_and_their_names_are_reserved(client: Client) -> None:
    guest = guest_in(client)
    stranger = Client()
    for password in ("", "!", guest.password):
        assert stranger.post("/login/", {"username": guest.username, "password": password}).status_code == 400
    assert stranger.post("/signup/", {"username": "Guest-ABC", "password": PASSWORD}).status_code == 400


def test_guests_from_one_address_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SignUpThrottle, "rate", "2/min", raising=False)
    monkeypatch.setattr(SignUpThrottle, "get_rate", lambda self: "2/min")
    for _ in range(3):
        answer = Client().post("/play-now/", follow=True)
    assert "Too many new guests" in answer.content.decode()
    assert Player.objects.count() == 2


def test_idle_guests_are_forgotten_and_the_books_are_right(settings: Any) -> None:
    settings.GUESTS_KEPT_DAYS = 7
    idle, seated, fresh, signed_up = (guests.create_guest() for _ in range(4))
    guests.name_guest(guest=signed_up, username="nila", password=PASSWORD)
    stakes.first_game(user=seated)
    Player.objects.exclude(pk=fresh.pk).update(date_joined=timezone.now() - timedelta(days=8))
    assert guests.forget_guests() == 1
    assert list(Player.objects.filter(is_active=False)) == [idle]
    assert guests.forget_guests() == 0
    assert not audit().differences


def test_a_guest_who_finished_a_deal_is_kept() -> None:
    guest = guests.create_guest()
    Player.objects.update(date_joined=timezone.now() - timedelta(days=800))
    seating = stakes.first_game(user=guest)
    DealSeat.objects.create(seating=seating, user=guest, seat=0, outcome="lost", deal=Deal.objects.get())
    Seating.objects.update(left_at=timezone.now())
    assert guests.forget_guests() == 0


def test_after_the_first_deal_the_home_page_says_no_more_that_it_waits(client: Client) -> None:
    guest = guest_in(client)
    seating = Seating.objects.get(user=guest)
    deal = Deal.objects.get()
    DealSeat.objects.create(seating=seating, user=guest, seat=0, outcome="won", deal=deal)
    Seating.objects.update(left_at=timezone.now(), freed_at=timezone.now())
    page = client.get("/").content.decode()
    assert "Your first deal waits" not in page
    assert "Won. Well played!" in page and f"/history/{deal.pk}/" in page and "Choose a name" in page
    fold = page.index('<details class="all-games"')
    assert page.index('id="waiting-title"') < page.index('id="tile-friends"') < fold
