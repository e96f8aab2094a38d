"""Concurrent payments: repeated messages take effect once, and of two outcomes one holds."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection

from tests.support.payments import ask_in, ask_out, pay_in, person, rupees, tell
from wallet.audit import audit
from wallet.audit_log.services import Actor
from wallet.base.errors import WalletError
from wallet.models import Posting
from wallet.payments import approvals, deposits, withdrawals
from wallet.payments.models import Deposit, GatewayEvent, Withdrawal
from wallet.payments.postings import on_hold
from wallet.payments.providers import test
from wallet.responsible_gaming import services as responsible_gaming
from wallet.responsible_gaming.models import Exclusion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]
MANY = 32


def at_once(*calls: Callable[[], object]) -> Counter[str]:
    """Start the calls together in threads of their own, and count their outcomes."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], object]) -> str:
        try:
            start.wait(20)
            answer = call()
        except WalletError as error:
            return error.code
        finally:
            connection.close()
        return answer.outcome if isinstance(answer, GatewayEvent) else "done"

    with ThreadPoolExecutor(len(calls)) as pool:
        return Counter(pool.map(run, calls))


def assert_clean() -> None:
    assert audit.audit().differences == []


def test_one_message_of_the_gateway_told_many_times_at_once_is_one_deposit(asha: AbstractBaseUser) -> None:
    deposit = ask_in(asha, 50_000, "test")
    body = test.paid(deposit)
    assert at_once(*[lambda: tell(body)] * MANY) == {"applied": MANY}
    messages, posted = GatewayEvent.objects.count(), Posting.objects.filter(reason="deposit").count()
    assert (rupees(asha), messages, posted) == (50_000, 1, 1)
    assert_clean()


def test_many_messages_about_one_deposit_at_once_are_one_deposit(asha: AbstractBaseUser) -> None:
    deposit = ask_in(asha, 50_000, "test")
    bodies = [test.paid(deposit) for _ in range(8)]
    assert at_once(*(lambda body=body: tell(body) for body in bodies)) == {"applied": 1, "closed": 7}
    assert (rupees(asha), GatewayEvent.objects.count()) == (50_000, 8)
    assert_clean()


def test_a_message_about_nothing_told_many_times_at_once_is_kept_once(asha: AbstractBaseUser) -> None:
    body = test.paid(Deposit(reference="TH00000000", amount=5, currency="INR"))
    assert at_once(*[lambda: tell(body)] * 8) == {"unknown_reference": 8}
    assert GatewayEvent.objects.count() == 1


def test_paid_and_cancelled_at_once_it_is_either(asha: AbstractBaseUser) -> None:
    for number in range(4):
        deposit = ask_in(asha, 1_000, "test", f"r{number}")
        body = test.paid(deposit)
        before = rupees(asha)
        ends = at_once(lambda body=body: tell(body), lambda deposit=deposit: deposits.cancel(deposit=deposit))
        deposit.refresh_from_db()
        expected = {"applied": 1, "decided": 1} if deposit.status == "done" else {"closed": 1, "done": 1}
        assert (ends, rupees(asha) - before) == (expected, 1_000 if deposit.status == "done" else 0)
    assert_clean()


def test_of_many_withdrawals_as_many_are_held_as_the_balance_allows(asha: AbstractBaseUser) -> None:
    pay_in(asha, 30_000)
    ends = at_once(*(lambda number=number: ask_out(asha, 10_000, f"w{number}") for number in range(5)))
    assert ends == {"done": 3, "insufficient_balance": 2}
    assert (rupees(asha), on_hold(asha), Withdrawal.objects.count()) == (0, {"INR": 30_000}, 3)
    assert_clean()


def test_one_withdrawal_asked_many_times_at_once_is_held_once(asha: AbstractBaseUser) -> None:
    pay_in(asha, 100_000)
    assert at_once(*[lambda: ask_out(asha, 10_000)] * 16) == {"done": 16}
    assert (rupees(asha), Withdrawal.objects.count()) == (90_000, 1)
    assert_clean()


def test_approved_refused_and_cancelled_at_once_one_outcome_holds(
    asha: AbstractBaseUser, first: Actor, second: Actor
) -> None:
    third = person("third")
    pay_in(asha, 100_000)
    for number in range(6):
        withdrawal = ask_out(asha, 10_000, f"w{number}")
        withdrawals.confirm(withdrawal, f"UTR {number}", first)
        before = rupees(asha)
        ends = at_once(
            lambda withdrawal=withdrawal: withdrawals.approve(withdrawal, "Checked", second),
            lambda withdrawal=withdrawal: withdrawals.cancel(withdrawal=withdrawal),
            lambda withdrawal=withdrawal: withdrawals.refuse(withdrawal, "No", third),
        )
        assert ends == {"done": 1, "decided": 2}
        withdrawal.refresh_from_db()
        assert (withdrawal.status in ("refused", "cancelled", "paid"), on_hold(asha)) == (True, {})
        assert rupees(asha) - before == (0 if withdrawal.status == "paid" else 10_000)
    assert_clean()


def test_approved_by_many_at_once_a_deposit_is_posted_once(asha: AbstractBaseUser, first: Actor) -> None:
    others = [person(f"other{number}") for number in range(6)]
    deposit = ask_in(asha, 50_000)
    deposits.confirm(deposit, "UTR 1", first)
    ends = at_once(*(lambda other=other: deposits.approve(deposit, "Seen", other) for other in others))
    assert ends == {"done": 1, "decided": 5}
    assert rupees(asha) == 50_000
    assert_clean()


def test_one_bank_reference_at_once_confirms_one(asha: AbstractBaseUser, first: Actor, second: Actor) -> None:
    rows = [ask_in(asha, 50_000, request=f"r{number}") for number in range(4)]
    ends = at_once(*(lambda row=row: deposits.confirm(row, "UTR 4711", second) for row in rows))
    assert ends == {"done": 1, "reference_used": 3}
    assert Deposit.objects.filter(status="confirmed").count() == 1


def test_of_many_deposits_and_withdrawals_asked_at_once_five_wait(asha: AbstractBaseUser) -> None:
    pay_in(asha, 1_000_000)
    ins = at_once(*(lambda number=number: ask_in(asha, 1_000, request=f"in{number}x") for number in range(16)))
    outs = at_once(*(lambda number=number: ask_out(asha, 1_000, f"out{number}x") for number in range(16)))
    assert ins == outs == {"done": approvals.MOST_OPEN, "too_many_open": 16 - approvals.MOST_OPEN}
    assert Deposit.objects.filter(status="asked").count() == Withdrawal.objects.count() == approvals.MOST_OPEN
    assert rupees(asha) == 1_000_000 - 1_000 * approvals.MOST_OPEN
    assert_clean()


def test_an_exclusion_set_while_a_deposit_is_asked_holds(
    asha: AbstractBaseUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exclusion comes between the deposit's checks and its row: it waits, or it holds."""
    check_room, excluding = approvals.check_open_requests, threading.Thread(target=_exclude, args=(asha,))
    ended_before_the_deposit = []

    def slowly(*arguments: Any) -> None:
        check_room(*arguments)
        excluding.start()
        excluding.join(0.3)
        ended_before_the_deposit.append(not excluding.is_alive())

    monkeypatch.setattr(approvals, "check_open_requests", slowly)
    deposit = ask_in(asha, 1_000)
    excluding.join(20)
    assert ended_before_the_deposit == [False]
    assert deposit.asked_at < Exclusion.objects.get(user_id=asha.pk).since
    with pytest.raises(responsible_gaming.CareRefusal):
        ask_in(asha, 1_000, request="in2")


def _exclude(player: AbstractBaseUser) -> None:
    try:
        responsible_gaming.exclude(user=player, period="day")
    finally:
        connection.close()
