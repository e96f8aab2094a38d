"""Only a plain amount is accepted as one, in every form and at every address where money is entered."""

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from django import forms
from django.contrib import admin
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.test import RequestFactory
from django.urls import get_resolver, reverse
from drf_spectacular.generators import SchemaGenerator

from lobby.models import Player, Stake
from lobby.stakes import services as stakes
from lobby.stakes.forms import BuyInForm
from tables.errors import TableError
from tables.play import protocol
from tests.support.books import books
from tests.support.currency import give_marks
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.staff import browser_of, employ
from tests.support.stakes import StakeFactory
from wallet.base.amounts import AmountField, SmallestUnitsField
from wallet.models import Adjustment

pytestmark = pytest.mark.django_db

#: As text in a form and in JSON.
TEXTS = [
    "-5", "0", "", " ", str(2**63), str(2**64), "9" * 50, "1e3", "1E3", "5.123", "5.", ".5", "1,000", "NaN", "nan",
    "Infinity", "-Infinity", "٥٠٠", "५००", "５００", "0x10", "1_000", "+5", "5 0", "²", "5\x00", "--5", "null", "true",
    "¤5",
]  # fmt: skip
#: Only where the currency has no part or staff count in its smallest unit.
PARTS = ["5.0", "5.50"]
#: What JSON can hold beside text.
VALUES: list[Any] = [-5, 0, 2**63, 2**64, 10**15 + 1, 1.0, 1.5, 1e3, True, False, [], {}, [5], "500", " 500 ", *TEXTS]


@pytest.fixture(autouse=True)
def counters(marks: None) -> None:
    cache.clear()


@pytest.fixture
def asha() -> Player:
    player = signed_up("asha")
    give_marks(player, 1_000_000)
    return player


def written() -> tuple[Any, ...]:
    """Return everything that an amount could have been written to."""
    tables = (Adjustment, Stake)
    return books(), [list(model._default_manager.order_by("pk").values()) for model in tables]


#: Of them, what fields of other kinds would take, or fail at: fields of these kinds are tried with all of them below.
TELLING = ["-5", "0", str(2**63), "1e3", "5.123", "1,000", "NaN", "५००", "+5", "5 0", "5.50"]
TELLING_VALUES = [-5, 0, 2**63, 10**15 + 1, 1.0, 1.5, True, [], "500", " 500 ", "", "५००", "null"]


# ---- programs

#: Each address that takes an amount, and the rest of what it wants.
ADDRESSES: dict[tuple[str, str], dict[str, Any]] = {
    ("/api/stakes/{stake_id}/seats/", "buy_in"): {},
    ("/api/tables/{table_id}/seats/", "buy_in"): {},
    ("/api/private/{code}/seats/", "buy_in"): {},
    ("/api/private/", "point_value"): {"book": "standard-points"},
    ("/api/private/", "entry"): {"book": "standard-pool-101"},
}
#: Limits, which may be 0.
ELSEWHERE = {("/api/me/care/limits/", "amount")}


def asked_for() -> Iterator[tuple[str, str]]:
    """Yield every field for an amount in the body of a request, by the published schema."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    for path, methods in schema["paths"].items():
        for content in methods.values():
            body = content.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            name = body.get("$ref", "").rpartition("/")[2]
            for field in schema["components"]["schemas"].get(name, {}).get("properties", {}):
                if field in ("amount", "buy_in", "entry", "fee", "minimum", "maximum", "price", "point_value"):
                    yield path, field


def test_every_address_that_takes_an_amount_is_tried() -> None:
    assert {*asked_for()} - ELSEWHERE == ADDRESSES.keys()


@pytest.mark.parametrize(("path", "field"), ADDRESSES)
def test_no_address_takes_anything_else(path: str, field: str, asha: Player) -> None:
    stake = StakeFactory(currency="TST", point_value=100)
    program = Program(asha)
    code = program.post("private/", {"stake": stake.pk})[1]["code"]
    stakes.ensure_table(stake.pk)
    table = program.get("lobby/")[1]["stakes"][0]["tables"][0]["id"]
    address = path.removeprefix("/api/").format(stake_id=stake.pk, table_id=table, code=code)
    before = written()
    for value in VALUES if path == "/api/private/" else TELLING_VALUES:
        cache.clear()
        status, content = program.post(address, {**ADDRESSES[path, field], field: value})
        assert (status, list(content.get("fields", ()))) == (400, [field]), (value, content)
    for number in ("NaN", "Infinity", "1e400", "05"):
        cache.clear()
        body = json.dumps({**ADDRESSES[path, field], field: 0}).replace(f'"{field}": 0', f'"{field}": {number}')
        answer = program.client.post(f"/api/{address}", body, content_type="application/json", headers=program.headers)
        assert answer.status_code == 400, number
    assert written() == before


def test_the_table_socket_takes_nothing_else() -> None:
    """Amounts that no deal can cost, such as 0, are whole numbers all the same: the game refuses them."""
    for value in VALUES:
        if value not in (0, 10**15 + 1) or value is False:
            with pytest.raises(TableError):
                protocol.parse_frame(json.dumps({"type": "add_chips", "amount": value}))


# ---- people


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("currency", ["FUN", "TST"])
def test_a_typed_amount_is_valid_or_a_field_error(currency: str, text: str) -> None:
    with pytest.raises(ValidationError):
        AmountField(currency=currency).clean(text)
    with pytest.raises(ValidationError):
        SmallestUnitsField(min_value=1, max_value=10**15).clean(text)


@pytest.mark.parametrize("text", PARTS)
def test_chips_have_no_parts(text: str) -> None:
    with pytest.raises(ValidationError):
        AmountField(currency="FUN").clean(text)
    with pytest.raises(ValidationError):
        SmallestUnitsField().clean(text)


def test_staff_offer_no_amount_that_the_ledger_does_not_take() -> None:
    assert SmallestUnitsField().clean(f"{10**15}") == 10**15
    with pytest.raises(ValidationError):
        SmallestUnitsField().clean(f"{10**15 + 1}")


@pytest.mark.parametrize(
    ("text", "currency", "amount"),
    [("500", "FUN", 500), ("500", "TST", 50_000), ("500.5", "TST", 50_050), (" 0.01 ", "TST", 1), ("007", "FUN", 7)],
)
def test_plain_amounts_are_taken(text: str, currency: str, amount: int) -> None:
    assert AmountField(currency=currency).clean(text) == amount
    assert Decimal(text) * (100 if currency == "TST" else 1) == amount


def test_every_form_for_players_is_strict() -> None:
    assert all(isinstance(BuyInForm(currency=code).fields["buy_in"], AmountField) for code in ("FUN", "TST"))


@pytest.mark.parametrize("address", ["sit", "private"])
def test_no_page_takes_anything_else(address: str, asha: Player) -> None:
    stake = StakeFactory(currency="TST", point_value=100)
    code = Program(asha).post("private/", {"stake": stake.pk})[1]["code"]
    browser = browser_of(asha)
    paths = {"sit": f"/sit/{stake.pk}/", "private": f"/private/{code}/"}
    before = written()
    for text in TELLING:
        if text == "5.50":
            continue
        answer = browser.post(paths[address], {"buy_in": text})
        assert (answer.status_code, b"field-error" in answer.content) == (400, True), text
    assert written() == before


# ---- staff

#: Fields of the admin's forms in which money is entered, by the address that adds a row.
STAFF: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "wallet_adjustment": ({"name": "asha", "currency": "TST", "reason": "A fault", "request": "r"}, ("amount",)),
    "lobby_stake": (
        {"book": "standard-points", "seats": "2", "currency": "TST", "point_value": "100", "fee_percent": "10",
         "full_seconds": "5", "turn_seconds": "30", "extra_seconds": "30", "meld_seconds": "45",
         "result_seconds": "15", "prompt_seconds": "20", "order": "0", "active": "on"},
        ("point_value", "minimum", "maximum", "entry", "fee_percent"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("page", STAFF)
def test_no_form_of_the_admin_takes_anything_else(page: str, asha: Player) -> None:
    browser = browser_of(employ("superuser"))
    rest, fields = STAFF[page]
    before = written()
    for text in TELLING:
        if text == "-5" and page == "wallet_adjustment":
            continue
        answer = browser.post(reverse(f"admin:{page}_add"), {**rest, **dict.fromkeys(fields, text)})
        assert answer.status_code == 200, text
        missed = set(fields) - answer.context["adminform"].form.errors.keys()
        # A fee of 0 is a fee, and limits are held against the point value.
        assert missed <= ({"fee_percent", "minimum", "maximum"} if text == "0" else set()), text
    assert written() == before


def test_every_form_of_the_admin_that_counts_is_strict() -> None:
    """A new admin form with numbers has to pass this."""
    request = RequestFactory().get("/")
    request.user = employ("superuser")
    loose: list[str] = []
    for model, model_admin in admin.site._registry.items():
        may: Callable[..., bool] = model_admin.has_change_permission
        if not (may(request) or model_admin.has_add_permission(request)):
            continue
        for name, field in model_admin.get_form(request)().fields.items():
            if isinstance(field, forms.IntegerField | forms.DecimalField | forms.FloatField):
                loose += [] if isinstance(field, SmallestUnitsField) else [f"{model._meta.label_lower}.{name}"]
    assert loose == []
    assert get_resolver() is not None
