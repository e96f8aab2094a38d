"""Deposits and withdrawals: two people for each, on hold from the first moment, paid or returned and never both."""

from typing import Any

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction

from tests.support.books import books
from tests.support.payments import HOME, ask_in, ask_out, at_gateway, make_eligible, pay_in, refusal, rupees
from wallet.audit import audit
from wallet.audit.nightly import freeze
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM, Actor
from wallet.base.errors import InsufficientBalance, KeyReused
from wallet.models import Account, AccountKind, Posting
from wallet.payments import deposits, withdrawals
from wallet.payments.models import Deposit, Withdrawal
from wallet.payments.postings import on_hold
from wallet.payments.providers import vault
from wallet.responsible_gaming import services as responsible_gaming

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def assert_clean() -> None:
    assert audit.audit().differences == []


def test_a_deposit_is_in_the_balance_once_two_people_have_seen_it(
    asha: AbstractBaseUser, first: Actor, second: Actor
) -> None:
    deposit = ask_in(asha, 50_000)
    assert (deposit.status, rupees(asha)) == ("asked", 0)
    deposits.confirm(deposit, "UTR 4711", first)
    assert rupees(asha) == 0
    deposits.approve(deposit, "On the statement", second)
    assert (rupees(asha), at_gateway("bank")) == (50_000, -50_000)
    assert Posting.objects.filter(key=f"deposit:{deposit.pk}", reason="deposit").exists()
    acts = list(AuditEntry.objects.filter(what__startswith="deposit.").order_by("pk").values_list("what", "name"))
    assert acts == [("deposit.confirm", "first"), ("deposit.approve", "second")]
    assert refusal(lambda: deposits.approve(deposit, "Again", second)) == "decided"
    assert_clean()


def test_the_first_of_the_two_never_decides(asha: AbstractBaseUser, first: Actor, second: Actor) -> None:
    paying, paid = ask_in(asha, 50_000), ask_in(asha, 90_000, request="in2")
    deposits.confirm(paid, "UTR 1", first)
    deposits.approve(paid, "Seen", second)
    out = ask_out(asha, 40_000)
    for row, service in ((paying, deposits), (out, withdrawals)):
        service.confirm(row, f"UTR {row.amount}", first)  # type: ignore[arg-type]
        assert refusal(lambda row=row, service=service: service.approve(row, "Seen", first)) == "same_person"
        assert refusal(lambda row=row, service=service: service.refuse(row, "No", first)) == "same_person"
        assert refusal(lambda row=row, service=service: service.approve(row, "Seen", PLATFORM)) == "no_person"
    assert rupees(asha) == 50_000
    assert_clean()


def test_nobody_of_the_staff_looks_after_their_own_money(first: Actor, second: Actor) -> None:
    assert first.user is not None
    make_eligible(first.user, second)
    own = ask_in(first.user, 50_000)
    assert refusal(lambda: deposits.confirm(own, "UTR 1", first)) == "own_money"
    deposits.confirm(own, "UTR 1", second)
    assert refusal(lambda: deposits.approve(own, "Mine", first)) == "own_money"


def test_nothing_is_approved_that_nobody_confirmed(asha: AbstractBaseUser, first: Actor) -> None:
    deposit = ask_in(asha, 50_000)
    assert refusal(lambda: deposits.approve(deposit, "Seen", first)) == "decided"
    pay_in(asha, 50_000, "in2")
    out = ask_out(asha, 40_000)
    assert refusal(lambda: withdrawals.approve(out, "Sure", first)) == "decided"


def test_the_database_itself_wants_two_people(asha: AbstractBaseUser, first: Actor) -> None:
    deposit = ask_in(asha, 50_000)
    person_of = first.user.pk if first.user else 0
    for fields in (
        {"status": "done"},
        {"status": "done", "confirmed_by": person_of, "decided_by": person_of},
        {"confirmed_by": asha.pk},
        {"decided_by": asha.pk},
        {"amount": 0},
        {"currency": "FUN"},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Deposit.objects.filter(pk=deposit.pk).update(**fields)


def test_one_payment_at_the_bank_is_one_deposit(asha: AbstractBaseUser, first: Actor) -> None:
    one, two = ask_in(asha, 50_000), ask_in(asha, 50_000, request="in2")
    deposits.confirm(one, "UTR 4711", first)
    assert refusal(lambda: deposits.confirm(two, " UTR  4711 ", first)) == "reference_used"
    assert refusal(lambda: deposits.confirm(two, "  ", first)) == "bad_reference"
    two.refresh_from_db()
    assert (two.status, two.bank_reference) == ("asked", "")


def test_a_withdrawal_is_on_hold_at_once_and_paid_by_two_people(
    asha: AbstractBaseUser, first: Actor, second: Actor
) -> None:
    pay_in(asha, 100_000)
    withdrawal = ask_out(asha, 60_000)
    assert (rupees(asha), on_hold(asha)) == (40_000, {"INR": 60_000})
    assert refusal(lambda: ask_out(asha, 40_001, "out2")) == "insufficient_balance"
    assert not Withdrawal.objects.filter(request="out2").exists()
    withdrawals.confirm(withdrawal, "UTR 1", first)
    assert (rupees(asha), on_hold(asha)) == (40_000, {"INR": 60_000})
    withdrawals.approve(withdrawal, "Prepared and checked", second)
    assert (rupees(asha), on_hold(asha), at_gateway("bank"), at_gateway("test")) == (40_000, {}, 60_000, -100_000)
    assert_clean()


@pytest.mark.parametrize("confirmed", [False, True])
@pytest.mark.parametrize("by", ["staff", "player"])
def test_a_withdrawal_that_is_not_to_be_goes_back(
    by: str, confirmed: bool, asha: AbstractBaseUser, first: Actor, second: Actor
) -> None:
    pay_in(asha, 100_000)
    withdrawal = ask_out(asha, 60_000)
    if confirmed:
        withdrawals.confirm(withdrawal, "UTR 1", first)
    if by == "staff":
        withdrawals.refuse(withdrawal, "Another name on the account", second)
    else:
        withdrawals.cancel(withdrawal=withdrawal)
        withdrawals.cancel(withdrawal=withdrawal)
    assert (rupees(asha), on_hold(asha)) == (100_000, {})
    assert refusal(lambda: withdrawals.approve(withdrawal, "Or yes", second)) == "decided"
    assert refusal(lambda: withdrawals.refuse(withdrawal, "No", second)) == "decided"
    assert_clean()


def test_a_paid_withdrawal_cannot_be_cancelled(asha: AbstractBaseUser, first: Actor, second: Actor) -> None:
    pay_in(asha, 100_000)
    withdrawal = ask_out(asha, 60_000)
    withdrawals.confirm(withdrawal, "UTR 1", first)
    withdrawals.approve(withdrawal, "Checked", second)
    assert refusal(lambda: withdrawals.cancel(withdrawal=withdrawal)) == "decided"
    assert refusal(lambda: withdrawals.refuse(withdrawal, "Too late", second)) == "decided"


def test_a_deposit_can_be_cancelled_until_staff_have_seen_it(asha: AbstractBaseUser, first: Actor) -> None:
    one, two = ask_in(asha, 50_000), ask_in(asha, 50_000, request="in2")
    assert deposits.cancel(deposit=one).status == "cancelled"
    deposits.confirm(two, "UTR 1", first)
    assert refusal(lambda: deposits.cancel(deposit=two)) == "decided"


def test_sent_twice_it_is_asked_once_and_never_for_another_amount(asha: AbstractBaseUser) -> None:
    pay_in(asha, 100_000)
    assert ask_out(asha, 30_000).pk == ask_out(asha, 30_000).pk
    assert ask_in(asha, 70_000, request="a").pk == ask_in(asha, 70_000, request="a").pk
    with pytest.raises(KeyReused):
        ask_out(asha, 30_001)
    with pytest.raises(KeyReused):
        ask_in(asha, 70_001, request="a")
    with pytest.raises(KeyReused):
        ask_out(asha, 30_000, destination={**HOME, "account": "000111222333"})
    assert rupees(asha) == 70_000


def test_only_so_many_wait_at_once(asha: AbstractBaseUser) -> None:
    for number in range(5):
        ask_in(asha, 1_000, request=f"r{number}")
    assert refusal(lambda: ask_in(asha, 1_000, request="r5")) == "too_many_open"


def test_where_it_goes_is_not_to_be_read_in_the_database(asha: AbstractBaseUser) -> None:
    pay_in(asha, 100_000)
    withdrawal = Withdrawal.objects.get(pk=ask_out(asha, 30_000).pk)
    assert HOME["account"].encode() not in bytes(withdrawal.destination)
    assert (vault.unseal(withdrawal), withdrawal.ending) == (HOME, "9012")


@pytest.mark.parametrize(("amount", "code"), [(999, "below_minimum"), (10_000_001, "above_maximum")])
def test_a_deposit_has_bounds_and_a_withdrawal_has_none(asha: AbstractBaseUser, amount: int, code: str) -> None:
    assert refusal(lambda: ask_in(asha, amount)) == code
    pay_in(asha, 1_000)
    assert ask_out(asha, 1).status == "asked"


def test_chips_are_neither_bought_nor_paid_out(asha: AbstractBaseUser) -> None:
    fun = {"request": "f", "player": asha, "currency": "FUN", "amount": 100, "gateway": "bank"}
    assert refusal(lambda: deposits.ask(**fun)) == "play_money_only"  # type: ignore[arg-type]
    assert refusal(lambda: withdrawals.ask(**fun, destination=HOME)) == "play_money_only"  # type: ignore[arg-type]
    for kind, owner in ((AccountKind.GATEWAY, None), (AccountKind.WITHDRAWAL, asha.pk)):
        with pytest.raises(IntegrityError), transaction.atomic():
            Account.objects.create(kind=kind, reference="withdrawal:1", currency="FUN", owner_id=owner)


def test_with_money_off_nothing_comes_in_and_all_of_it_goes_out(
    asha: AbstractBaseUser, first: Actor, second: Actor, settings: Any
) -> None:
    pay_in(asha, 100_000)
    settings.REAL_MONEY, settings.MONEY_GATEWAYS = False, []
    assert refusal(lambda: ask_in(asha, 50_000, request="a")) == "money_off"
    withdrawal = ask_out(asha, 100_000)
    withdrawals.confirm(withdrawal, "UTR 1", first)
    withdrawals.approve(withdrawal, "Checked", second)
    assert (rupees(asha), on_hold(asha)) == (0, {})
    assert_clean()


def test_a_gateway_that_is_not_offered_takes_nothing(asha: AbstractBaseUser, settings: Any) -> None:
    assert refusal(lambda: ask_in(asha, 50_000, "cash")) == "no_gateway"
    settings.MONEY_REHEARSAL = False
    assert refusal(lambda: ask_in(asha, 50_000, "test")) == "no_gateway"
    assert ask_in(asha, 50_000, "bank").status == "asked"


def test_an_excluded_player_cannot_deposit_but_is_paid_out(asha: AbstractBaseUser) -> None:
    pay_in(asha, 100_000)
    responsible_gaming.exclude(user=asha, period="week")
    assert refusal(lambda: ask_in(asha, 50_000, request="a")) == "self_excluded"
    assert ask_out(asha, 100_000).status == "asked"


def test_while_the_books_are_frozen_nothing_is_paid_out(asha: AbstractBaseUser, first: Actor, second: Actor) -> None:
    pay_in(asha, 100_000)
    withdrawal = ask_out(asha, 60_000)
    withdrawals.confirm(withdrawal, "UTR 1", first)
    freeze("A difference")
    assert refusal(lambda: withdrawals.approve(withdrawal, "Sure", second)) == "settlement_frozen"
    withdrawal.refresh_from_db()
    assert (withdrawal.status, on_hold(asha)) == ("confirmed", {"INR": 60_000})
    withdrawals.cancel(withdrawal=withdrawal)
    assert rupees(asha) == 100_000


@pytest.mark.parametrize("amount", [0, -1, 10**15 + 1, 2**63, 1.5, True, "100", float("nan")])
def test_an_impossible_amount_moves_nothing(amount: Any, asha: AbstractBaseUser) -> None:
    pay_in(asha, 100_000)
    assert refusal(lambda: ask_in(asha, amount, request="a")) == "invalid_amount"
    assert refusal(lambda: ask_out(asha, amount, "b")) == "invalid_amount"
    assert (Deposit.objects.count(), Withdrawal.objects.count()) == (1, 0)


@pytest.mark.parametrize("broken", ["record", "post"])
def test_broken_off_in_the_middle_it_is_as_if_nothing_had_been(
    broken: str, asha: AbstractBaseUser, first: Actor, second: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    pay_in(asha, 100_000)
    coming, going = ask_in(asha, 50_000, request="a"), ask_out(asha, 60_000)
    deposits.confirm(coming, "UTR 1", first)
    withdrawals.confirm(going, "UTR 2", first)
    before = (books(), list(Deposit.objects.values()), list(Withdrawal.objects.values()), AuditEntry.objects.count())

    def break_off(*_: Any, **__: Any) -> None:
        raise SystemError("killed")

    monkeypatch.setattr(f"wallet.payments.{'approvals.record' if broken == 'record' else 'postings.post'}", break_off)
    for act in (
        lambda: deposits.approve(coming, "Seen", second),
        lambda: withdrawals.approve(going, "Seen", second),
        lambda: withdrawals.refuse(going, "No", second),
    ):
        with pytest.raises(SystemError), transaction.atomic():
            act()
    if broken == "post":
        for other in (lambda: withdrawals.cancel(withdrawal=going), lambda: ask_out(asha, 1_000, "c")):
            with pytest.raises(SystemError), transaction.atomic():
                other()
    assert before == (
        books(), list(Deposit.objects.values()), list(Withdrawal.objects.values()), AuditEntry.objects.count(),
    )  # fmt: skip
    assert_clean()


def test_insufficient_balance_is_the_ledgers_own_word(asha: AbstractBaseUser) -> None:
    with pytest.raises(InsufficientBalance):
        ask_out(asha, 1)
    assert not Withdrawal.objects.exists()
