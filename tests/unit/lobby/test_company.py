"""The company at a table: who sits there, as each of the players may know and hear them."""

import pytest
from django.utils.translation import override

from lobby.friends import friends
from lobby.models import Player
from lobby.stakes import services as stakes
from rules.bots import Strength
from tables.language import translated_name
from tables.models import Seating
from tables.play import services as play
from tests.support.clock import Clock
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.staff import browser_of
from tests.support.stakes import StakeFactory
from tests.support.steering import next_deal
from tests.support.tables import connected

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


def test_company_lists_the_seats_with_friendship_and_mute(asha: Player, ravi: Player) -> None:
    Player.objects.filter(pk=ravi.pk).update(avatar="tiger")
    stake = StakeFactory(seats=3)
    table_id = stakes.quick_seat(stake_id=stake.pk, user=asha).table_id
    play.sit(table_id=table_id, user=ravi)
    friends.ask_friend(player=ravi, other=asha)
    api = Program(asha)
    assert api.post("mutes/", {"player": ravi.pk, "muted": True})[0] == 204
    content = api.get(f"tables/{table_id}/company/")[1]
    assert [emote["key"] for emote in content["emotes"]][:2] == ["smile", "laugh"]
    in_hindi = browser_of(asha).get(f"/api/tables/{table_id}/company/", HTTP_ACCEPT_LANGUAGE="hi").json()
    assert {"key": "hello", "text": "नमस्ते!", "picture": False} in in_hindi["emotes"]
    own_seat, other_seat = content["seats"]
    assert (own_seat["player"], own_seat["avatar"], own_seat["muted"]) == (asha.pk, "", False)
    assert "img/avatars/tiger" in other_seat["avatar"]
    assert (other_seat["muted"], other_seat["friendship"]) == (True, "asks")
    assert Program(ravi).get(f"tables/{table_id}/company/")[1]["seats"][0]["friendship"] == "asked"
    device = browser_of(asha)
    assert device.get(f"/api/tables/{table_id}/company/").json()["seats"][1]["muted"], "on every device"
    api.post("mutes/", {"player": ravi.pk, "muted": False})
    assert not api.get(f"tables/{table_id}/company/")[1]["seats"][1]["muted"]


def test_company_at_a_private_table_is_for_its_players(asha: Player, ravi: Player) -> None:
    code = stakes.open_private(stake_id=StakeFactory().pk, user=asha)
    table = stakes.sit_by_code(code=code, user=asha).table
    assert Program(asha).get(f"tables/{table.pk}/company/")[0] == 200
    assert Program(ravi).get(f"tables/{table.pk}/company/")[0] == 404


def test_who_has_left_a_private_table_is_not_told_who_came_after_them(asha: Player, ravi: Player) -> None:
    code = stakes.open_private(stake_id=StakeFactory(seats=3).pk, user=asha)
    table_id = stakes.sit_by_code(code=code, user=asha).table_id
    stakes.sit_by_code(code=code, user=ravi)
    play.leave_if_idle(user_id=ravi.pk)
    bela = signed_up()
    stakes.sit_by_code(code=code, user=bela)

    def told(player: Player) -> list[int]:
        return [seat["player"] for seat in Program(player).get(f"tables/{table_id}/company/")[1]["seats"]]

    assert told(ravi) == [asha.pk], "whom they met there they may still mute"
    assert told(asha) == told(bela) == [asha.pk, bela.pk]
    friends.block_player(player=asha, other=ravi)
    assert Program(ravi).get(f"tables/{table_id}/company/") == Program(ravi).get("tables/999/company/")


def test_nor_while_the_deal_that_they_have_left_still_runs(asha: Player, ravi: Player, clock: Clock) -> None:
    code = stakes.open_private(stake_id=StakeFactory(seats=4).pk, user=asha)
    there = [asha, ravi, signed_up()]
    table = [stakes.sit_by_code(code=code, user=player).table for player in there][-1]
    places = [connected(table, player) for player in there]
    next_deal(places, clock)
    assert places[1].send("leave")["type"] == "ack"
    stakes.sit_by_code(code=code, user=signed_up("late"))

    def told(player: Player) -> list[str]:
        return [seat["name"] for seat in Program(player).get(f"tables/{table.pk}/company/")[1]["seats"]]

    assert "late" in told(asha) and told(ravi) == [player.username for player in there]
    friends.block_player(player=asha, other=ravi)
    assert Program(ravi).get(f"tables/{table.pk}/company/")[0] == 404


def test_a_computer_player_is_named_there_as_at_the_table(asha: Player) -> None:
    table = stakes.practice(user=asha, book_key="standard-points", players=2, strength=Strength.SOUND).table_id
    name = Seating.objects.get(table=table, user=None).name
    _, answer = Program(asha)("GET", f"tables/{table}/company/", None, **{"accept-language": "hi"})
    with override("hi"):
        assert answer["seats"][1]["name"] == translated_name(name) != name
