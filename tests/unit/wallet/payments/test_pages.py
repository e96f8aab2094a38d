"""Deposits and withdrawals on the pages of players and at the cashier's desk in the admin."""

import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from lobby.models import Player
from tests.support import payments as cashiers
from tests.support.payments import HOME, ask_in, ask_out, pay_in, post_webhook, rupees
from tests.support.players import signed_up
from tests.support.staff import act, browser_of, employ
from tests.unit.lobby.conftest import Program
from wallet.audit import audit
from wallet.audit_log.models import AuditEntry
from wallet.payments.models import Deposit, Identity, SuspenseItem, Withdrawal
from wallet.payments.providers import test
from wallet.responsible_gaming import services as responsible_gaming

pytestmark = pytest.mark.django_db
OUT = {
    "out-amount": "750",
    "out-gateway": "bank",
    "out-request": "r",
    **{f"out-{key}": text for key, text in HOME.items()},
}


@pytest.fixture(autouse=True)
def fresh_counts() -> None:
    cache.clear()


@pytest.fixture
def page(asha: Player) -> Client:
    return browser_of(asha)


def test_with_money_off_there_is_nothing_here_for_who_never_had_any(asha: Player, page: Client, settings: Any) -> None:
    settings.REAL_MONEY = False
    for name in ("money", "details", "terms"):
        assert page.get(reverse(f"wallet:{name}")).status_code == 404
    for path in ("wallet/identity/", "wallet/deposits/", "wallet/withdrawals/"):
        assert Program(asha).get(path)[0] == 404
    assert "Deposit and withdraw" not in page.get("/wallet/").content.decode()
    settings.TEST_GATEWAY_SECRET = ""
    assert post_webhook(test.paid(Deposit(reference="TH1", amount=1, currency="INR")))[0] == 404


@pytest.mark.parametrize("jurisdiction", ["page", "api"])
def test_with_money_off_again_whoever_has_rupees_withdraws_them(
    jurisdiction: str, asha: Player, page: Client, settings: Any
) -> None:
    pay_in(asha, 100_000)
    settings.REAL_MONEY, settings.MONEY_GATEWAYS = False, []
    assert "Deposit and withdraw" in page.get("/wallet/").content.decode()
    text = page.get("/wallet/money/").content.decode()
    assert "Ask to be paid" in text and "yours all the same" in text and "Go to payment" not in text
    if jurisdiction == "page":
        assert page.post("/wallet/money/withdrawals/", OUT).status_code == 302
    else:
        assert Program(asha).post("wallet/withdrawals/", {"amount": 75_000, "gateway": "bank", **HOME})[0] == 201
        assert Program(asha).post("wallet/deposits/", {"amount": 75_000, "gateway": "bank"})[0] == 403
    assert page.post("/wallet/money/deposits/", {}).status_code == 404
    withdrawal = Withdrawal.objects.get()
    first, second = browser_of(employ("finance")), browser_of(employ("finance", "second"))
    act(first, "gateways_withdrawal_confirm", withdrawal.pk, reason="UTR 4711")
    act(second, "gateways_withdrawal_approve", withdrawal.pk)
    withdrawal.refresh_from_db()
    assert (withdrawal.status, rupees(asha)) == ("paid", 25_000)


def test_finance_asks_for_a_player_who_is_locked_out(asha: Player) -> None:
    pay_in(asha, 100_000)
    form = {
        "player_name": "asha", "rupees": "1000", "account_name": "Asha Rao", "account": "123456789012",
        "ifsc": "ABCD0123456", "reason": "Their letter of 2 November", "sent": "s1",
    }  # fmt: skip
    first, second = browser_of(employ("finance")), browser_of(employ("finance", "second"))
    add = reverse("admin:gateways_withdrawal_add")
    assert "the player asks themselves" in first.post(add, form).content.decode()
    Player.objects.filter(pk=asha.pk).update(is_active=False)
    for _ in range(2):
        assert first.post(add, form).status_code == 302
    withdrawal = Withdrawal.objects.get()
    act(second, "gateways_withdrawal_confirm", withdrawal.pk, reason="UTR 4711")
    act(first, "gateways_withdrawal_approve", withdrawal.pk)
    withdrawal.refresh_from_db()
    assert (withdrawal.status, rupees(asha)) == ("confirmed", 0)
    act(browser_of(employ("finance", "third")), "gateways_withdrawal_approve", withdrawal.pk)
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.asked_by.username) == ("paid", "the_finance")  # type: ignore[union-attr]
    assert audit.audit().differences == []


def test_finance_sees_what_is_in_suspense_and_sends_it_back(asha: Player, page: Client) -> None:
    paid = pay_in(asha, 50_000)
    first, second = browser_of(employ("finance")), browser_of(employ("finance", "second"))
    form = {"receipt": "utr 9", "rupees": "500", "quotes": paid.reference.lower(), "reason": "Paid twice"}
    assert first.post(reverse("admin:gateways_suspenseitem_add"), form).status_code == 302
    item = SuspenseItem.objects.get()
    assert (item.arrival, item.why, item.player) == ("UTR 9", "closed", asha)
    listed = second.get(reverse("admin:gateways_suspenseitem_changelist")).content.decode()
    assert "₹500.00" in listed and "asha" in listed
    assert "Payments that go back to you" in page.get("/wallet/money/").content.decode()
    act(first, "gateways_suspenseitem_confirm", item.pk, reason="UTR 10")
    act(first, "gateways_suspenseitem_approve", item.pk)
    item.refresh_from_db()
    assert item.status == "confirmed"
    act(second, "gateways_suspenseitem_approve", item.pk)
    item.refresh_from_db()
    assert (item.status, rupees(asha)) == ("sent_back", 50_000)
    assert "Sent back to where it came from" in page.get("/wallet/money/").content.decode()
    assert audit.audit().differences == []


def test_a_newcomer_is_led_to_their_details_and_waits_for_staff() -> None:
    bela = signed_up("bela")
    browser = browser_of(bela)
    assert "First, a few details" in browser.get("/wallet/money/").content.decode()
    wrong = browser.post("/wallet/money/details/", {"jurisdiction": "IN-GA", "birth_date": "2100-01-01", "terms": "on"})
    assert (wrong.status_code, Identity.objects.count()) == (400, 0)
    form = {"jurisdiction": "IN-GA", "birth_date": "1990-05-17"}
    assert browser.post("/wallet/money/details/", form).status_code == 400
    assert browser.post("/wallet/money/details/", {**form, "terms": "on"}).status_code == 302
    assert "We are looking at your details" in browser.get("/wallet/money/").content.decode()
    refused = browser.post("/wallet/money/deposits/", {"in-amount": "500", "in-gateway": "bank", "in-request": "a"})
    assert (refused.status_code, Deposit.objects.count()) == (400, 0)
    support = browser_of(employ("support"))
    act(support, "gateways_identity_verify", bela.identity.pk, pan="abcpe 1234 f")  # type: ignore[attr-defined]
    assert "Go to payment" in browser.get("/wallet/money/").content.decode()


def test_a_player_from_elsewhere_gets_a_kind_refusal() -> None:
    bela = signed_up("bela")
    cashiers.declare(bela, jurisdiction="IN-TN")
    text = browser_of(bela).get("/wallet/money/").content.decode()
    assert "Tamil Nadu" in text
    assert "Fun chips are for everybody" in text


def test_a_transfer_is_explained_and_ends_in_the_balance(asha: Player, page: Client) -> None:
    answer = page.post("/wallet/money/deposits/", {"in-amount": "500.50", "in-gateway": "bank", "in-request": "a"})
    deposit = Deposit.objects.get()
    assert (answer["Location"], deposit.amount) == (f"/wallet/money/deposits/{deposit.pk}/", 50_050)
    text = page.get(answer["Location"]).content.decode()
    assert all(each in text for each in (deposit.reference, "₹500.50", "account 0011223344"))
    first, second = browser_of(employ("finance")), browser_of(employ("finance", "second"))
    act(first, "gateways_deposit_confirm", deposit.pk, reason="UTR 4711")
    act(first, "gateways_deposit_approve", deposit.pk)
    assert rupees(asha) == 0
    act(second, "gateways_deposit_approve", deposit.pk)
    assert rupees(asha) == 50_050
    assert "In your balance" in page.get("/wallet/money/").content.decode()
    acts = AuditEntry.objects.filter(what__startswith="deposit.").order_by("pk").values_list("what", "name", "reason")
    assert list(acts) == [
        ("deposit.confirm", "the_finance", "UTR 4711"),
        ("deposit.approve", "second", "A test asks for it"),
    ]


def test_the_pretended_bank_pays_by_its_signed_word(asha: Player, page: Client) -> None:
    answer = page.post("/wallet/money/deposits/", {"in-amount": "20", "in-gateway": "test", "in-request": "a"})
    deposit = Deposit.objects.get()
    assert answer["Location"] == f"/wallet/money/checkout/{deposit.reference}/"
    assert "No real money moves" in page.get(answer["Location"]).content.decode()
    page.post(answer["Location"], {"answer": "no"})
    assert rupees(asha) == 0
    for _ in range(2):
        page.post(answer["Location"], {"answer": "pay"})
    assert rupees(asha) == 2_000
    assert browser_of(signed_up()).get(answer["Location"]).status_code == 404


@pytest.mark.parametrize("jurisdiction", ["page", "api"])
def test_a_player_who_moved_away_can_still_withdraw(jurisdiction: str, asha: Player, page: Client) -> None:
    pay_in(asha, 100_000)
    cashiers.declare(asha, jurisdiction="IN-TN")
    program = Program(asha)
    standing = program.get("wallet/identity/")[1]
    assert (standing["eligible"], standing["code"], standing["may_withdraw"]) == (False, "not_permitted_there", True)
    text = page.get("/wallet/money/").content.decode()
    assert "Ask to be paid" in text and "yours all the same" in text and "Go to payment" not in text
    if jurisdiction == "page":
        assert page.post("/wallet/money/withdrawals/", OUT).status_code == 302
    else:
        assert program.post("wallet/withdrawals/", {"amount": 75_000, "gateway": "bank", **HOME})[0] == 201
    assert rupees(asha) == 25_000
    withdrawal = Withdrawal.objects.get()
    first, second = browser_of(employ("finance")), browser_of(employ("finance", "second"))
    look = first.get(reverse("admin:gateways_withdrawal_change", args=[withdrawal.pk])).content.decode()
    assert "Tamil Nadu" in look
    act(first, "gateways_withdrawal_confirm", withdrawal.pk, reason="UTR 4711")
    act(second, "gateways_withdrawal_approve", withdrawal.pk)
    withdrawal.refresh_from_db()
    assert withdrawal.status == "paid"


def test_who_takes_a_break_withdraws_and_pays_nothing_in(asha: Player, page: Client) -> None:
    pay_in(asha, 100_000)
    responsible_gaming.exclude(user=asha, period="ever")
    text = page.get("/wallet/money/").content.decode()
    assert "Ask to be paid" in text and "Go to payment" not in text
    assert "You have excluded yourself from play for good." in text
    assert page.post("/wallet/money/withdrawals/", OUT).status_code == 302
    assert rupees(asha) == 25_000


def test_requests_of_both_kinds_stand_in_the_order_of_their_time(asha: Player, page: Client) -> None:
    for number in "12":
        pay_in(asha, 100_000, f"in{number}")
        ask_out(asha, 75_000, f"out{number}")
    content = page.get("/wallet/money/").content.decode()
    assert re.findall(r"<strong>(Deposit|Withdrawal) ", content) == ["Withdrawal", "Deposit"] * 2


def test_a_withdrawal_can_be_cancelled_on_the_page(asha: Player, page: Client) -> None:
    pay_in(asha, 100_000)
    assert page.post("/wallet/money/withdrawals/", OUT).status_code == 302
    assert page.post("/wallet/money/withdrawals/", OUT).status_code == 302
    assert rupees(asha) == 25_000
    assert "On hold</dt><dd>₹750.00" in page.get("/wallet/").content.decode()
    withdrawal = Withdrawal.objects.get()
    assert browser_of(signed_up()).post(f"/wallet/money/withdrawals/{withdrawal.pk}/cancel/").status_code == 404
    assert "₹750.00" in page.get("/wallet/money/").content.decode()
    page.post(f"/wallet/money/withdrawals/{withdrawal.pk}/cancel/")
    assert rupees(asha) == 100_000


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"out-amount": "1000.01"}, "too small"),
        ({"out-account": "12AB"}, "6 to 18 digits"),
        ({"out-account": "१२३४५६७"}, "6 to 18 digits"),
        ({"out-ifsc": "SBIN1234567"}, "four letters"),
        ({"out-name": ""}, "need this"),
        ({"out-gateway": "cash"}, "not one of the available"),
    ],
)
def test_errors_are_shown_at_the_form(changes: dict[str, str], says: str, asha: Player, page: Client) -> None:
    pay_in(asha, 100_000)
    answer = page.post("/wallet/money/withdrawals/", {**OUT, **changes})
    assert (answer.status_code, Withdrawal.objects.count(), rupees(asha)) == (400, 0, 100_000)
    assert says in answer.content.decode()


def test_only_who_confirms_transfers_sees_the_whole_account(asha: Player) -> None:
    pay_in(asha, 100_000)
    withdrawal = ask_out(asha, 75_000)
    address = reverse("admin:gateways_withdrawal_change", args=[withdrawal.pk])
    assert HOME["account"] in browser_of(employ("finance")).get(address).content.decode()
    assert browser_of(employ("support")).get(address).status_code == 403
    assert HOME["account"] not in browser_of(asha).get("/wallet/money/").content.decode()


def test_a_bank_reference_that_is_too_long_is_refused_in_the_admin(asha: Player) -> None:
    deposit = ask_in(asha, 50_000)
    act(browser_of(employ("finance")), "gateways_deposit_confirm", deposit.pk, reason="x" * 41)
    deposit.refresh_from_db()
    assert deposit.status == "asked"


def test_finance_reads_of_rupees_where_there_are_any(asha: Player, settings: Any) -> None:
    settings.REAL_MONEY = False
    finance = browser_of(employ("finance"))
    pages = [reverse("finance:overview"), reverse("finance:exports"), reverse("admin:wallet_adjustment_add")]
    assert [path for path in pages if "Indian rupees" in finance.get(path).content.decode()] == []
    settings.REAL_MONEY = True
    pay_in(asha, 50_000)
    settings.REAL_MONEY = False
    assert [path for path in pages if "Indian rupees" not in finance.get(path).content.decode()] == []
    assert reverse("admin:gateways_suspenseitem_changelist") in finance.get(pages[0]).content.decode()
