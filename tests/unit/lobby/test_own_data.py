"""The file with everything stored about a player."""

import json

import pytest
from django.test import Client

from lobby.account_data import data
from lobby.account_data.views import FILES
from lobby.accounts.recovery import codes
from lobby.friends.models import Friendship
from lobby.models import Player
from tests.support.takeouts import own_data

pytestmark = pytest.mark.django_db


def test_every_relation_of_a_player_is_exported_or_listed_with_a_reason() -> None:
    relations = {str(relation.get_accessor_name()) for relation in Player._meta.related_objects}
    assert {*data.COLUMNS, *data.SINGLE_ROW_COLUMNS, *data.OTHER_RELATIONS} == relations


@pytest.mark.databases
def test_the_file_contains_data_of_the_player_only(client: Client, asha: Player, ravi: Player) -> None:
    client.post("/login/", {"username": "asha", "password": "wrong"})
    Friendship.objects.create(asker=asha, asked=ravi)
    client.force_login(asha)
    content = own_data(client)
    assert (content["account"]["username"], content["balances"][0]["free"]) == ("asha", 10_000)
    assert [entry["amount"] for entry in content["statement_FUN"]] == [10_000]
    assert [entry["name"] for entry in content["friendships_asked"]] == ["ravi"]
    assert [entry["succeeded"] for entry in content["sign_ins"]] == [False, True]
    client.force_login(ravi)
    assert [len(own_data(client)[name]) for name in ("friendships_asked", "friendships_offered")] == [0, 1]


def test_the_file_contains_no_secret(client: Client, asha: Player) -> None:
    codes_made = codes.new_codes(asha)
    client.force_login(asha)
    text = json.dumps(own_data(client))
    digests = [code.digest for code in asha.password_codes.all()]
    assert not [
        secret for secret in (*codes_made, *digests, asha.password, client.session.session_key) if secret in text
    ]


def test_downloads_of_the_file_are_limited(client: Client, asha: Player) -> None:
    client.force_login(asha)
    for _ in range(FILES.tries):
        own_data(client)
    assert client.post("/account/data/")["Location"] == "/account/"
