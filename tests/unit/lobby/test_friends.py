"""Friends: requests and refusals, who sees whose presence, and invitations."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from threading import Event
from time import sleep
from typing import Any

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.utils import timezone

from config.bootstrap import ROOT
from lobby.accounts.avatars import AVATARS
from lobby.friends import friends, invitations, selectors
from lobby.friends.models import Friendship, Invitation
from lobby.models import Player
from lobby.stakes import services as stakes
from tables.errors import TableError
from tables.models import Seating
from tables.play import broadcast, presence, services as play, store
from tables.play.opening import open_table
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.side_by_side import at_once
from tests.support.staff import browser_of
from tests.support.stakes import StakeFactory
from tests.support.tables import terms

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

Sent = list[tuple[str, dict[str, Any]]]


def make_friends(player: Player, other: Player) -> None:
    friends.ask_friend(player=player, other=other)
    assert friends.accept_friend(player=other, other=player)


# --- friends ---


def test_players_become_friends_by_request_and_acceptance(asha: Player, ravi: Player) -> None:
    assert not friends.ask_friend(player=asha, other=ravi)
    assert list(friends.requests_to(ravi)) == [asha] and list(friends.requests_from(asha)) == [ravi]
    assert not friends.friends_of(asha), "asking is not enough"
    assert not friends.accept_friend(player=asha, other=ravi), "nor can the asker accept"
    assert friends.accept_friend(player=ravi, other=asha)
    assert list(friends.friends_of(asha)) == [ravi] and list(friends.friends_of(ravi)) == [asha]
    friends.remove_friend(player=ravi, other=asha)
    assert not friends.friends_of(asha) and not Friendship.objects.exists()


@pytest.mark.databases
def test_a_request_in_return_accepts_and_two_players_share_one_row(asha: Player, ravi: Player) -> None:
    friends.ask_friend(player=asha, other=ravi)
    assert friends.ask_friend(player=ravi, other=asha)
    assert friends.ask_friend(player=ravi, other=asha), "again, and nothing changes"
    with pytest.raises(IntegrityError), transaction.atomic():
        Friendship.objects.create(asker=ravi, asked=asha)
    with pytest.raises(IntegrityError), transaction.atomic():
        Friendship.objects.create(asker=ravi, asked=ravi)


def test_a_refusal_is_not_shown_and_blocks_requests_for_a_month(asha: Player, ravi: Player) -> None:
    friends.ask_friend(player=asha, other=ravi)
    friends.refuse_friend(player=ravi, other=asha)
    assert list(friends.requests_from(asha)) == [ravi]
    friends.remove_friend(player=asha, other=ravi)
    assert not friends.requests_from(asha), "taken back"
    friends.ask_friend(player=asha, other=ravi)
    assert list(friends.requests_from(asha)) == [ravi] and not friends.requests_to(ravi)
    Friendship.objects.update(changed_at=timezone.now() - timedelta(days=31))
    friends.ask_friend(player=asha, other=ravi)
    assert list(friends.requests_to(ravi)) == [asha]


def test_a_player_who_refused_can_still_become_a_friend(asha: Player, ravi: Player) -> None:
    friends.ask_friend(player=asha, other=ravi)
    friends.refuse_friend(player=ravi, other=asha)
    assert friends.ask_friend(player=ravi, other=asha) and friends.are_friends(asha, ravi)


def test_a_request_that_was_withdrawn_makes_no_friend_whatever_became_of_it(asha: Player, ravi: Player) -> None:
    friends.ask_friend(player=asha, other=ravi)
    friends.refuse_friend(player=ravi, other=asha)
    friends.remove_friend(player=asha, other=ravi)
    assert not friends.accept_friend(player=ravi, other=asha)
    assert not friends.ask_friend(player=ravi, other=asha) and list(friends.requests_to(asha)) == [ravi]
    assert friends.accept_friend(player=asha, other=ravi)


def test_who_accepts_a_request_that_was_withdrawn_is_not_told_of_a_friend(asha: Player, ravi: Player) -> None:
    play.sit(table_id=(table := open_table(terms=terms(), title="Open", currency="FUN")).pk, user=asha)
    play.sit(table_id=table.pk, user=ravi)
    friends.ask_friend(player=asha, other=ravi)
    friends.remove_friend(player=asha, other=ravi)
    accepted = browser_of(ravi).post("/friends/answer/", {"player": asha.pk, "act": "accept"}, follow=True)
    assert [str(told) for told in accepted.context["messages"]] == ["There is no request of asha any more."]
    status, told = Program(ravi).post("friends/answer/", {"player": asha.pk, "act": "accept"})
    assert (status, told["code"]) == (404, "not_found")
    friends.ask_friend(player=asha, other=ravi)
    for _time in range(2):
        accepted = browser_of(ravi).post("/friends/answer/", {"player": asha.pk, "act": "accept"}, follow=True)
        assert [str(told) for told in accepted.context["messages"]] == ["asha is your friend now."]


def test_a_blocked_player_is_not_notified_and_reaches_nobody(asha: Player, ravi: Player, sent: Sent) -> None:
    make_friends(asha, ravi)
    friends.block_player(player=ravi, other=asha)
    assert not friends.friends_of(asha)
    sent.clear()
    assert not friends.ask_friend(player=asha, other=ravi)
    assert list(friends.requests_from(asha)) == [ravi] and not friends.requests_to(ravi)
    assert not selectors.news_for(ravi) and not sent
    friends.unblock_player(player=ravi, other=asha)
    assert list(friends.requests_to(ravi)) == [asha]


def test_nobody_is_a_friend_and_blocked_at_once(asha: Player, ravi: Player) -> None:
    """An older window may still show the request that the block has hidden."""
    friends.ask_friend(player=asha, other=ravi)
    friends.block_player(player=ravi, other=asha)
    assert Program(ravi).post("friends/answer/", {"player": asha.pk, "act": "accept"})[0] == 204
    assert friends.are_friends(asha, ravi) and not friends.is_blocked(asha, by=ravi)


@pytest.mark.django_db(transaction=True)
@pytest.mark.databases
def test_an_acceptance_while_the_same_player_blocks_leaves_no_friend_who_is_blocked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asha, ravi = signed_up(), signed_up()
    friends.ask_friend(player=asha, other=ravi)
    has_blocked, push_news = Event(), friends.push_news

    def hold_the_block(player: Player, **of: Any) -> None:
        if player == ravi:
            has_blocked.set()
            sleep(0.3)
        push_news(player, **of)

    def accept() -> None:
        assert has_blocked.wait(30)
        friends.accept_friend(player=ravi, other=asha)

    monkeypatch.setattr(friends, "push_news", hold_the_block)
    at_once([lambda: friends.block_player(player=ravi, other=asha), accept])
    assert friends.are_friends(asha, ravi) and not friends.is_blocked(asha, by=ravi), "the later of the two counts"


@pytest.mark.parametrize("reason", ["takes none", "many wait"])
def test_a_request_that_is_refused_leaves_the_block(
    asha: Player, ravi: Player, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    friends.block_player(player=asha, other=ravi)
    if reason == "takes none":
        Player.objects.filter(pk=ravi.pk).update(refuses_requests=True)
    else:
        monkeypatch.setattr(friends, "MOST_WAITING", 0)
    with pytest.raises(TableError):
        friends.ask_friend(player=asha, other=Player.objects.get(pk=ravi.pk))
    assert friends.is_blocked(ravi, by=asha)


def test_requests_are_limited_per_day_and_names_match_in_any_case(asha: Player) -> None:
    for _ in range(friends.REQUESTS.tries):
        friends.ask_friend(player=asha, other=signed_up())
    with pytest.raises(TableError, match="many players today"):
        friends.ask_friend(player=asha, other=signed_up("Tara"))
    assert friends.find_player(" tARA ").username == "Tara"
    for nobody in ("", "nobody at all", "\0"):
        with pytest.raises(TableError, match="No player"):
            friends.find_player(nobody)


def test_closing_an_account_deletes_its_relations(asha: Player, ravi: Player) -> None:
    make_friends(asha, ravi)
    friends.mute_player(player=asha, other=ravi, muted=True)
    friends.block_player(player=signed_up(), other=asha)
    friends.forget_relations(asha)
    assert not any(model.objects.exists() for model in (Friendship, Invitation))
    assert not asha.mutes.exists() and not ravi.blocks.exists()


# --- who is where ---


def test_only_friends_see_presence_and_only_unless_hidden(asha: Player, ravi: Player) -> None:
    stake = StakeFactory()
    make_friends(asha, ravi)
    assert [(friend.online, friend.place) for friend in selectors.friend_list(asha)] == [(False, "Not online")]
    presence.note_alive(ravi.pk)
    assert selectors.friend_list(asha)[0].place == "Online"
    seating = stakes.quick_seat(stake_id=stake.pk, user=ravi)
    Seating.objects.filter(pk=seating.pk).update(connection="c", seen_ms=store.now_ms())
    (friend,) = selectors.friend_list(asha)
    assert friend.can_join and friend.place == "At Points Rummy, 1 of 2 seats taken"
    (listed,) = Program(asha).get("friends/")[1]["friends"]
    assert (listed["table"], listed["stake"], listed["can_join"]) == (seating.table_id, stake.pk, True)
    Player.objects.filter(pk=ravi.pk).update(hides_presence=True)
    assert selectors.friend_list(asha)[0].place == "Not online"
    assert selectors.friend_list(signed_up()) == []


def test_a_private_table_of_a_friend_is_not_revealed(asha: Player, ravi: Player) -> None:
    make_friends(asha, ravi)
    code = stakes.open_private(stake_id=StakeFactory().pk, user=ravi)
    stakes.sit_by_code(code=code, user=ravi)
    presence.note_alive(ravi.pk)
    (friend,) = selectors.friend_list(asha)
    assert (friend.place, friend.can_join, friend.can_watch) == ("At a private table", False, False)
    assert code not in str(Program(asha).get("friends/")[1])
    assert code not in browser_of(asha).get("/friends/").content.decode()


def test_queries_do_not_grow_with_friends(asha: Player, django_assert_num_queries: Any) -> None:
    for _ in range(6):
        make_friends(asha, signed_up())
    with django_assert_num_queries(3):
        assert len(selectors.friend_list(asha)) == 6


# --- invitations ---


def test_only_friends_can_be_invited(asha: Player, ravi: Player, sent: Sent) -> None:
    code = stakes.open_private(stake_id=StakeFactory().pk, user=asha)
    with pytest.raises(TableError, match="friends only"):
        invitations.invite(player=asha, friend=ravi, code=code)
    make_friends(asha, ravi)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.db.transaction.on_commit", lambda work, **_: work())
        sent.clear()
        invitations.invite(player=asha, friend=ravi, code=code)
    assert sent == [(f"user.{ravi.pk}", {"type": "user.news"})]
    page = browser_of(ravi).get("/").content.decode()
    assert "invites you" in page and f"/private/{code}/" in page
    invitations.invite(player=asha, friend=ravi, code=code)
    assert Invitation.objects.count() == 1
    stakes.sit_by_code(code=code, user=ravi)
    assert not invitations.open_invitations(ravi), "they are there"


def test_an_invitation_expires(asha: Player, ravi: Player) -> None:
    make_friends(asha, ravi)
    code = stakes.open_private(stake_id=StakeFactory().pk, user=asha)
    invitations.invite(player=asha, friend=ravi, code=code)
    invitation = invitations.open_invitations(ravi).get()
    invitations.decline(player=asha, invitation_id=invitation.pk)
    assert invitations.open_invitations(ravi), "it is not asha's to decline"
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        assert not invitations.open_invitations(ravi)
    assert invitations.forget_invitations() == 0
    with time_machine.travel(timezone.now() + invitations.VALID_FOR):
        assert (invitations.forget_invitations(), invitations.forget_invitations()) == (1, 0)
    invitations.invite(player=asha, friend=ravi, code=code)
    invitation = invitations.open_invitations(ravi).get()
    invitations.decline(player=ravi, invitation_id=invitation.pk)
    assert not invitations.open_invitations(ravi)


# --- pictures and pages ---


def test_every_picture_exists_and_can_be_chosen(asha: Player) -> None:
    drawn = {path.stem for path in (ROOT / "static/img/avatars").glob("*.svg")}
    assert drawn == set(AVATARS) and len(drawn) >= 16
    browser = browser_of(asha)
    assert browser.post("/account/", {"display_name": "", "avatar": "lotus"}).status_code == 302
    assert "avatars/lotus" in browser.get("/").content.decode()
    assert browser.post("/account/", {"display_name": "", "avatar": "../../etc"}).status_code == 400
    asha.refresh_from_db()
    assert asha.avatar == "lotus"


def test_the_pages_of_friends(asha: Player, ravi: Player) -> None:
    browser = browser_of(asha)
    browser.post("/friends/", {"name": "RAVI"})
    other = browser_of(ravi)
    assert "asha" in other.get("/friends/").content.decode()
    assert "asks you to be friends" in other.get("/news/").content.decode()
    Program(ravi).post("mutes/", {"player": asha.pk, "muted": True})
    assert "Unmute" in other.get("/friends/").content.decode()
    for act in ("accept", "remove", "block", "unblock", "nonsense"):
        assert other.post("/friends/answer/", {"player": asha.pk, "act": act}).status_code == 302
    assert other.post("/friends/answer/", {"player": 999_999, "act": "accept"}).status_code == 404
    assert (
        other.post("/friends/answer/", {"player": asha.pk, "act": "block", "next": "//evil.example/"})["location"]
        == "/friends/"
    )
    assert other.post("/friends/answer/", {"player": asha.pk, "act": "unmute"}).status_code == 302
    assert not ravi.mutes.exists() and "Unmute" not in other.get("/friends/").content.decode()
    assert browser.post("/friends/hide/", {"hide": "1"}).status_code == 302
    assert Player.objects.get(pk=asha.pk).hides_presence
    assert "You are hidden" in browser.get("/friends/").content.decode()
    assert browser.get("/friends/now/").status_code == 200


# --- bounds ---


def test_only_so_many_requests_wait_for_one_player(asha: Player, ravi: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(friends, "MOST_WAITING", 1)
    tara = signed_up("tara")
    friends.ask_friend(player=asha, other=ravi)
    with pytest.raises(TableError) as refusal:
        friends.ask_friend(player=tara, other=ravi)
    assert refusal.value.code == "too_many_friends" and list(friends.requests_to(ravi)) == [asha]
    assert friends.ask_friend(player=ravi, other=asha), "who asks in return accepts"
    assert not friends.ask_friend(player=tara, other=ravi) and list(friends.requests_to(ravi)) == [tara]


def test_who_wants_no_requests_is_asked_by_nobody_and_can_ask_others(asha: Player, ravi: Player) -> None:
    browser = browser_of(ravi)
    page = browser.post("/friends/hide/", {"refuse": "1"}, follow=True).content.decode()
    assert "Nobody can ask you to be friends" in page and not Player.objects.get(pk=ravi.pk).hides_presence
    status, content = Program(asha).post("friends/", {"name": "ravi"})
    assert (status, content["code"]) == (403, "bad_friend") and not Friendship.objects.exists()
    friends.ask_friend(player=ravi, other=asha)
    assert friends.ask_friend(player=asha, other=Player.objects.get(pk=ravi.pk)), "who was asked may still accept"
    browser.post("/friends/hide/", {"refuse": "0"})
    assert not friends.ask_friend(player=signed_up("tara"), other=Player.objects.get(pk=ravi.pk))


def test_a_request_refused_long_ago_does_not_reach_who_takes_none_any_more(asha: Player, ravi: Player) -> None:
    """To the asker it looks sent, as it did: that it was refused is not told."""
    friends.ask_friend(player=asha, other=ravi)
    friends.refuse_friend(player=ravi, other=asha)
    browser_of(ravi).post("/friends/hide/", {"refuse": "1"})
    Friendship.objects.update(changed_at=timezone.now() - timedelta(days=31))
    ravi.refresh_from_db()
    assert not friends.ask_friend(player=asha, other=ravi)
    assert list(friends.requests_from(asha)) == [ravi] and not friends.requests_to(ravi)
    browser_of(ravi).post("/friends/hide/", {"refuse": "0"})
    ravi.refresh_from_db()
    friends.ask_friend(player=asha, other=ravi)
    assert list(friends.requests_to(ravi)) == [asha]


def test_who_is_blocked_is_not_heard_at_an_open_table_either(asha: Player, ravi: Player) -> None:
    stake = StakeFactory()
    table, _ = (stakes.quick_seat(stake_id=stake.pk, user=player).table_id for player in (asha, ravi))
    friends.block_player(player=asha, other=ravi)
    assert Program(asha).get(f"tables/{table}/company/")[1]["seats"][1]["muted"]
    assert not Program(ravi).get(f"tables/{table}/company/")[1]["seats"][0]["muted"]
    Program(asha).post("mutes/", {"player": ravi.pk, "muted": False})
    assert not Program(asha).get(f"tables/{table}/company/")[1]["seats"][1]["muted"], "whoever wants to hears them"


def test_lists_of_blocked_and_muted_players_are_bounded(
    asha: Player, ravi: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(friends, "MOST_BLOCKED", 1)
    monkeypatch.setattr(friends, "MOST_MUTED", 1)
    tara = signed_up("tara")
    for _ in range(2):
        friends.block_player(player=asha, other=ravi)
        friends.mute_player(player=asha, other=ravi, muted=True)
    for act in (friends.block_player, partial(friends.mute_player, muted=True)):
        with pytest.raises(TableError) as refusal:
            act(player=asha, other=tara)
        assert refusal.value.code == "list_full"
    assert list(friends.blocked_by(asha)) == list(friends.muted_by(asha)) == [ravi.pk]
    friends.unblock_player(player=asha, other=ravi)
    friends.block_player(player=asha, other=tara)


def test_news_are_pushed_to_one_player_so_often_and_no_oftener(
    asha: Player, ravi: Player, sent: Sent, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(friends, "NEWS", replace(friends.NEWS, tries=2))
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(4):
            friends.push_news(ravi)
        friends.push_news(asha)
    told = [group for group, message in sent if message["type"] == "user.news"]
    assert told == [broadcast.user_group(ravi.pk)] * 2 + [broadcast.user_group(asha.pk)]
