"""The webhook's HTTP side: length, rate and signature of a request."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.core.cache import cache
from rest_framework.test import APIRequestFactory

from lobby.models import Player
from tests.support.payments import ask_in, post_webhook, rupees
from wallet.payments import api as payments
from wallet.payments.api import WebhookThrottle
from wallet.payments.models import GatewayEvent
from wallet.payments.providers import test, webhook

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_counts() -> None:
    cache.clear()


@pytest.mark.parametrize("length", ["", "0", "12", "many"])
def test_a_long_message_is_not_read_whatever_its_header_says(length: str, asha: Player) -> None:
    body = b" " * (payments.LONGEST_MESSAGE + 1)
    request = APIRequestFactory().post("/", body, content_type="application/json")
    request.META["CONTENT_LENGTH"] = length
    request._stream = BytesIO(body)
    answer = payments.TestWebhook.as_view()(request)
    assert (answer.status_code, answer.data["code"]) == (413, "too_long")
    assert request._stream.tell() <= payments.LONGEST_MESSAGE + 1


def test_one_address_is_held_back_before_its_message_is_looked_at(
    asha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = test.paid(ask_in(asha, 50_000, "test"))
    monkeypatch.setattr(WebhookThrottle, "THROTTLE_RATES", {"webhook": "3/min"})
    assert [post_webhook(b"{}", "t=1,v1=00")[0] for _ in range(3)] == [401] * 3
    looked: list[bytes] = []
    monkeypatch.setattr(webhook, "verify", lambda body, *_: looked.append(body))
    status, answer = post_webhook(body)
    assert (status, answer["code"], looked, rupees(asha)) == (429, "throttled", [], 0)
    assert post_webhook(b" " * 100_000)[0] == 429
    monkeypatch.undo()
    assert post_webhook(body, address="10.0.0.9")[1]["outcome"] == "applied"


def test_the_webhook_answers_to_its_signature_only(asha: Player, settings: Any) -> None:
    deposit = ask_in(asha, 50_000, "test")
    body = test.paid(deposit)
    assert post_webhook(body, "")[0] == 401
    assert post_webhook(body, "t=1,v1=00")[1]["code"] == "bad_signature"
    assert post_webhook(b"x" * 9_000) == (413, {"code": "too_long", "message": "A message is short."})
    assert post_webhook(body)[1]["outcome"] == "applied"
    assert post_webhook(body)[1] == {"event": json.loads(body)["event"], "outcome": "applied", "where": "balance"}
    assert post_webhook(test.paid(deposit, amount=1))[1]["outcome"] == "wrong_amount"
    assert (rupees(asha), GatewayEvent.objects.count()) == (50_000, 2)
    settings.MONEY_REHEARSAL = False
    assert post_webhook(body)[0] == 404
