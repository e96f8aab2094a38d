"""Limits by address count a subscriber: an address of IPv4, a /64 of IPv6."""

import pytest
from django.test import Client

from lobby.accounts.models import Player, SignIn
from lobby.accounts.sign_in import PAIR, SignUpThrottle
from tables.sockets.admission import address_of
from wallet.base.rate_limits import subscriber

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::", "2001:db8:1:2::/64"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("asha", "asha"),
        ("10:30", "10:30"),
        ("None", "None"),
    ],
)
def test_an_address_is_counted_by_its_subscriber(address: str, counted: str) -> None:
    assert subscriber(address) == counted
    assert address_of({"client": [address, 443]}) == counted
    assert PAIR.key("asha", address) == PAIR.key("asha", counted)


def from_one_subscriber(number: int) -> str:
    return f"2001:db8:1:2::{number:x}"


def test_one_subscriber_of_ipv6_opens_no_more_guests_than_one_of_ipv4(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SignUpThrottle().rate == "60/min"
    monkeypatch.setattr(SignUpThrottle, "rate", "3/min", raising=False)
    for number in range(5):
        Client().post("/play-now/", REMOTE_ADDR=from_one_subscriber(number))
    assert Player.objects.filter(is_guest=True).count() == 3
    Client().post("/play-now/", REMOTE_ADDR="2001:db8:1:3::1")
    assert Player.objects.filter(is_guest=True).count() == 4


def test_wrong_passwords_and_calls_of_one_subscriber_are_counted_together() -> None:
    for number in range(PAIR.tries):
        Client().post("/login/", {"username": "nobody", "password": "x"}, REMOTE_ADDR=from_one_subscriber(number))
    refused = Client().post("/login/", {"username": "nobody", "password": "x"}, REMOTE_ADDR="2001:db8:1:2::ffff")
    other = Client().post("/login/", {"username": "nobody", "password": "x"}, REMOTE_ADDR="2001:db8:1:3::1")
    assert (refused.status_code, other.status_code) == (429, 400)


def test_calls_without_an_account_are_counted_by_subscriber(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wallet.base.rate_limits.AnonymousThrottle.THROTTLE_RATES", {"anon": "3/min"})
    answers = [Client().get("/api/lobby/", REMOTE_ADDR=from_one_subscriber(number)).status_code for number in range(4)]
    assert answers == [200, 200, 200, 429]


def test_an_address_of_ipv4_is_recorded_the_same_where_a_process_listens_to_both_kinds() -> None:
    for address in ("198.51.100.7", "::ffff:198.51.100.7"):
        Client().post("/login/", {"username": "nobody", "password": "x"}, REMOTE_ADDR=address)
    assert set(SignIn.objects.values_list("address", flat=True)) == {"198.51.100.7"}
