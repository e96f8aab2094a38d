"""Names that players sign up with and show: of any script, told apart by sight, nobody else's."""

import unicodedata

import pytest
from django.test import Client

from lobby.accounts.forms import SignUpForm
from lobby.models import Player
from rules import bots
from tests.support.players import PASSWORD, signed_up
from tests.support.program import Program

pytestmark = pytest.mark.django_db


NAMES = [
    "आशा",
    "नीला देवी",
    "ஆஷா",
    "Ашот",
    "Ασημίνα",
    "あさ子",
    "이소라",
    "é.Müller",
    "क्षितिज२७",
    "آشا",
    "ΝΊΚΟΣ",
    "1947",
    "Nila 7",
]


@pytest.mark.databases
def test_a_name_of_any_script_signs_up_is_shown_and_signs_in() -> None:
    other, browser = Client(), Client()
    other.force_login(signed_up("ravi"))
    for name in NAMES:
        username = name.replace(" ", "_") + "_ok"[: max(0, 3 - len(name))]
        assert Program().post("auth/signup/", {"username": username, "password": PASSWORD})[0] == 201, name
        assert other.post("/account/", {"display_name": username}).status_code == 400, f"{name} belongs to another"
        decomposed = unicodedata.normalize("NFD", username)
        assert browser.post("/login/", {"username": decomposed, "password": PASSWORD}).status_code == 302, name
        assert browser.post("/account/", {"display_name": name}).status_code == 302, name
        assert unicodedata.normalize("NFKC", name) in browser.get("/account/").content.decode(), name
        browser.logout()


def is_taken(name: str) -> bool:
    return "username" in SignUpForm({"username": name, "password": PASSWORD}).errors


@pytest.mark.parametrize(
    "pair",
    ["Iila lila", "RaviI Ravil", "LlLA LILA", "n1la nila", "n1la nlla", "0mkar Omkar", "A5ha asha", "Asha_K AshaK",
     "Nila.01 nila01", "NILA nila", "Ила ИЛА"],
)  # fmt: skip
@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("shown", [False, True])
def test_of_two_names_that_look_alike_the_second_is_taken_whichever_it_is(pair: str, turn: int, shown: bool) -> None:
    first, second = pair.split()[::turn]
    signed_up("somebody", display_name=first) if shown else signed_up(first)
    assert is_taken(second)


@pytest.mark.parametrize("pair", ["Kala Kaia", "Mala Maia", "Alia Alla", "Kama Karna", "Amit Arnit", "Ila Ela"])
@pytest.mark.parametrize("turn", [1, -1])
def test_ordinary_names_are_told_apart(pair: str, turn: int) -> None:
    first, second = pair.split()[::turn]
    signed_up(first)
    assert not is_taken(second)


def test_names_that_look_alike_and_are_there_stay(client: Client) -> None:
    Player.objects.bulk_create([Player(username="Iila", display_name="Kala."), Player(username="lila")])
    for player in Player.objects.all():
        client.force_login(player)
        kept = {"display_name": player.display_name, "avatar": "kite"}
        assert client.post("/account/", kept).status_code == 302


def test_players_keep_the_display_names_they_have(client: Client) -> None:
    asha = signed_up("asha", display_name="SupportTeam")
    client.force_login(asha)
    assert client.post("/account/", {"display_name": "SupportTeam", "avatar": "kite"}).status_code == 302
    assert client.post("/account/", {"display_name": "Support-Team", "avatar": "kite"}).status_code == 400
    assert (Player.objects.get().display_name, Player.objects.get().avatar) == ("SupportTeam", "kite")


@pytest.mark.parametrize("name", bots.NAMES)
def test_nobody_shows_the_name_of_a_computer_player(client: Client, name: str) -> None:
    client.force_login(signed_up("nila"))
    assert client.post("/account/", {"display_name": f"{name[0]} {name[1:].upper()}"}).status_code == 400
    assert client.post("/account/", {"display_name": f"{name} 7"}).status_code == 302
    assert Player.objects.get(username="nila").shown_name == f"{name} 7"


@pytest.mark.databases
def test_a_display_name_is_shown_and_is_unique(client: Client) -> None:
    asha = signed_up("asha")
    signed_up("ravi", display_name="Ravi of Pune")
    client.force_login(asha)
    for taken in ("RAVI", "ravi of pune", "Computer 1", " <b>", "x" * 21):
        assert client.post("/account/", {"display_name": taken}).status_code == 400
    assert client.post("/account/", {"display_name": "Asha K."}).status_code == 302
    assert Player.objects.get(pk=asha.pk).shown_name == "Asha K."
    assert Program(asha).get("me/")[1]["name"] == "Asha K."


@pytest.mark.databases
def test_nobody_signs_up_under_the_display_name_of_another() -> None:
    signed_up("ravi", display_name="Ravi.Pune")
    assert Program().post("auth/signup/", {"username": "ravi.pune", "password": PASSWORD})[0] == 400
