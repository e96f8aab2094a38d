"""Numbers of players: they name nobody whom one has not met; and what one's own lists and file do not tell."""

import io
import json
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.http import Http404
from django.test import Client
from django.utils import timezone

from lobby.friends import friends
from lobby.friends.models import Block, Friendship, Mute
from lobby.friends.selectors import known_player
from lobby.models import Player
from lobby.stakes import services as stakes
from tables.models import Seating
from tables.play import services as play
from tests.support.finance import body
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.staff import browser_of
from tests.support.stakes import StakeFactory

pytestmark = [pytest.mark.django_db, pytest.mark.databases, pytest.mark.usefixtures("sent")]


def knows(player: Player, other: Player) -> bool:
    try:
        return known_player(player, other.pk) == other
    except Http404:
        return False


def test_nobody_is_muted_blocked_or_asked_by_a_number_alone(asha: Player) -> None:
    stranger = signed_up("support1", display_name="Moonlight")
    api, page = Program(asha), browser_of(asha)
    for number in (stranger.pk, 999_999):
        answers = [
            api.post("mutes/", {"player": number, "muted": True}),
            api.post("friends/", {"player": number}),
            *(api.post("friends/answer/", {"player": number, "act": act}) for act in ("block", "accept", "remove")),
        ]
        assert [status for status, _ in answers] == [404] * 5
        for act in ("block", "mute", "unblock"):
            assert page.post("/friends/answer/", {"player": number, "act": act}).status_code == 404
    assert not any(model.objects.exists() for model in (Mute, Block, Friendship))
    shown = page.get("/friends/").content.decode()
    assert "Moonlight" not in shown and "support1" not in shown


def test_whom_one_sat_with_is_known_and_who_sat_there_before_or_after_is_not(asha: Player, ravi: Player) -> None:
    tara = signed_up("tara")
    code = stakes.open_private(stake_id=StakeFactory(seats=3).pk, user=asha)
    seats = [stakes.sit_by_code(code=code, user=player) for player in (asha, ravi, tara)]
    assert knows(asha, ravi) and knows(ravi, asha)
    now = timezone.now() - timedelta(hours=1)
    stays = ((0, 10), (5, 15), (11, None))
    for seating, (taken, freed) in zip(seats, stays, strict=True):
        until = now + timedelta(minutes=freed) if freed else None
        Seating.objects.filter(pk=seating.pk).update(taken_at=now + timedelta(minutes=taken), freed_at=until)
    assert knows(asha, ravi) and knows(ravi, tara)
    assert not knows(asha, tara) and not knows(tara, asha)


def test_who_sits_at_a_public_table_is_shown_to_all_and_who_has_left_is_not(asha: Player, ravi: Player) -> None:
    seating = stakes.quick_seat(stake_id=StakeFactory().pk, user=ravi)
    assert knows(asha, ravi)
    play.leave_if_idle(user_id=ravi.pk)
    assert Seating.objects.get(pk=seating.pk).freed_at is not None
    assert not knows(asha, ravi)


def test_relations_are_kept_up_with_whom_one_does_not_meet_again(asha: Player, ravi: Player) -> None:
    friends.ask_friend(player=ravi, other=asha)
    assert knows(asha, ravi) and knows(ravi, asha)
    friends.block_player(player=asha, other=ravi)
    Friendship.objects.all().delete()
    Player.objects.filter(pk=ravi.pk).update(is_active=False)
    assert knows(asha, ravi) and not knows(ravi, asha)
    assert Program(asha).post("friends/answer/", {"player": ravi.pk, "act": "unblock"})[0] == 204


def test_a_block_leaves_the_request_of_the_blocked_on_their_list(asha: Player, ravi: Player) -> None:
    friends.ask_friend(player=asha, other=ravi)
    friends.block_player(player=ravi, other=asha)
    assert list(friends.requests_from(asha)) == [ravi]
    assert not friends.requests_to(ravi)


def own_file(player: Player) -> dict[str, Any]:
    client = Client()
    client.force_login(player)
    with zipfile.ZipFile(io.BytesIO(body(client.post("/account/data/")))) as archive:
        return dict(json.loads(archive.read("data.json")))


def test_the_file_names_others_as_they_show_themselves_and_tells_no_refusal(asha: Player, ravi: Player) -> None:
    shown = signed_up("secret_name", display_name="Moonlight")
    for other in (ravi, shown):
        friends.ask_friend(player=asha, other=other)
    friends.refuse_friend(player=ravi, other=asha)
    friends.accept_friend(player=shown, other=asha)
    friends.mute_player(player=asha, other=shown, muted=True)
    content = own_file(asha)
    refused, accepted = content["friendships_asked"]
    assert refused == {"name": "ravi", "status": "asked", "since": None}
    assert (accepted["name"], accepted["status"]) == ("Moonlight", "accepted") and accepted["since"]
    assert content["mutes"] == [{"name": "Moonlight"}]
    assert "secret_name" not in json.dumps(content) and "refused" not in json.dumps(content)
    friends.remove_friend(player=asha, other=ravi)
    assert [each["name"] for each in own_file(asha)["friendships_asked"]] == ["Moonlight"]
