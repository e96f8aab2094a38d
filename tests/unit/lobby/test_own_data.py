"""The file with everything that is held about a player."""

import io
import json
import zipfile
from typing import Any

import pytest
from django.test import Client

from lobby.accounts.recovery import codes
from lobby.company.models import Friendship
from lobby.models import Player
from lobby.personal import data
from lobby.personal.views import FILES
from tests.support import payments as cashiers
from tests.support.players import signed_up
from tests.unit.wallet.test_finance import body
from wallet.audit_log.services import Actor
from wallet.payments.providers import test as test_gateway

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def taken(client: Client) -> dict[str, Any]:
    answer = client.post("/account/data/")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(body(answer))) as archive:
        return dict(json.loads(archive.read("data.json")))


def test_every_row_that_belongs_to_a_player_is_told_or_it_is_said_why_not() -> None:
    there = {str(each.get_accessor_name()) for each in Player._meta.related_objects}
    assert {*data.COLUMNS, *data.SINGLE_ROW_COLUMNS, *data.OTHER_RELATIONS} == there


def test_the_file_tells_of_the_player_and_of_nobody_else(client: Client, asha: Player, ravi: Player) -> None:
    client.post("/login/", {"username": "asha", "password": "wrong"})
    Friendship.objects.create(asker=asha, asked=ravi)
    client.force_login(asha)
    told = taken(client)
    assert (told["account"]["username"], told["balances"][0]["free"]) == ("asha", 10_000)
    assert [each["amount"] for each in told["statement_FUN"]] == [10_000]
    assert [each["asked__username"] for each in told["friendships_asked"]] == ["ravi"]
    assert [each["succeeded"] for each in told["sign_ins"]] == [False, True]
    client.force_login(ravi)
    assert [len(taken(client)[name]) for name in ("friendships_asked", "friendships_offered")] == [0, 1]


def test_nothing_in_it_opens_the_account(client: Client, asha: Player) -> None:
    mine = codes.new_codes(asha)
    client.force_login(asha)
    text = json.dumps(taken(client))
    digests = [each.digest for each in asha.password_codes.all()]
    assert not [secret for secret in (*mine, *digests, asha.password, client.session.session_key) if secret in text]


def test_the_file_is_taken_so_often_and_no_oftener(client: Client, asha: Player) -> None:
    client.force_login(asha)
    for _ in range(FILES.tries):
        taken(client)
    assert client.post("/account/data/")["Location"] == "/account/"


def test_rupees_tell_where_they_went(client: Client, asha: Player, settings: Any) -> None:
    cashiers.switch_on(settings)
    cashiers.make_eligible(asha, Actor("finance", signed_up("cashier")))
    cashiers.tell(test_gateway.paid(cashiers.pay_in(asha, 50_000)))
    cashiers.ask_out(asha, 20_000)
    client.force_login(asha)
    told = taken(client)
    assert [each["amount"] for each in told["statement_INR"]] == [50_000, -20_000]
    assert [(each["amount"], set(each["destination"])) for each in told["withdrawals"]] == [
        (20_000, {"name", "account", "ifsc"})
    ]
    assert told["identity"][0]["birth_date"] == "1990-05-17"
