"""Accounts and real money with one of every kind of row, in a month that is closed."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta

import time_machine
from django.contrib.auth.models import Permission
from django.test import override_settings
from rest_framework.authtoken.models import Token

from lobby.accounts.recovery import codes
from lobby.backoffice import recoveries
from lobby.models import Player
from tests.support.payments import MONEY, ask_in, ask_out, declare, make_eligible, pay_in
from tests.support.players import signed_up
from tests.support.staff import employ, enrol
from wallet.audit import nightly
from wallet.audit_log.services import Actor
from wallet.finance.months import services as months
from wallet.payments import deposits, suspense, withdrawals
from wallet.payments.models import Deposit, Withdrawal
from wallet.responsible_gaming import services as responsible_gaming

#: When it happens, and when it is over, as months are counted in India; in a year to come, since the trail begins now.
OCTOBER, NOVEMBER = datetime(2030, 10, 20, tzinfo=UTC), datetime(2030, 11, 2, tzinfo=UTC)


@contextmanager
def a_month_of_the_office() -> Iterator[None]:
    """Close a month of staff work with real money on; in the block it is the second of November."""
    with override_settings(**MONEY), time_machine.travel(OCTOBER, tick=True) as clock:
        first, second = (Actor(person.username, person) for person in (employ("finance"), employ("superuser")))
        asha = signed_up("asha")
        _access(asha, second)
        _care(asha, second)
        _money(asha, first, second)
        clock.move_to(NOVEMBER)
        assert nightly.run_nightly().differences == 0
        months.close_month(month=date(2030, 10, 1), actor=first)
        clock.move_to(NOVEMBER + timedelta(days=1))
        assert nightly.run_nightly().differences == 0
        yield


def _access(asha: Player, boss: Actor) -> None:
    Token.objects.create(user=asha)
    codes.new_codes(asha)
    assert isinstance(boss.user, Player)
    boss.user.user_permissions.add(Permission.objects.get(codename="view_dayhead"))
    enrol(boss.user)
    recoveries.ask(asha, "Known by her deals", Actor("the_support", employ("support")))


def _care(asha: Player, boss: Actor) -> None:
    ravi = signed_up("ravi")
    responsible_gaming.set_limit(user=asha, kind="entries", span="day", amount=5_000, currency="FUN")
    responsible_gaming.set_limit(user=asha, kind="entries", span="day", amount=9_000, currency="FUN")
    responsible_gaming.exclude(user=ravi, period="month", by=boss.user)
    responsible_gaming.lift(user=ravi, by=boss.user)


def _money(asha: Player, first: Actor, second: Actor) -> None:
    """Pay by bank (a deposit, a returned withdrawal, a waiting one, a payment sent back) and once by a gateway."""
    declare(signed_up("dina"))
    make_eligible(asha, second)
    deposit = ask_in(asha, 90_000)
    deposits.confirm(deposit, "UTR 1", first)
    deposits.approve(deposit, "Seen", second)
    pay_in(asha, 10_000, "in2")
    paid = _paid(ask_out(asha, 60_000), first, second)
    back = suspense.note_return(withdrawal=paid, receipt="RET 1", reason="No such account", actor=first)
    suspense.approve(back, "On the statement", second)
    _paid(ask_out(asha, 10_000, "out2"), first, second, "UTR 3")
    _send_back(deposits.cancel(deposit=ask_in(asha, 50_000, request="in3")), first, second)
    ask_out(asha, 5_000, "out3")


def _paid(withdrawal: Withdrawal, first: Actor, second: Actor, receipt: str = "UTR 2") -> Withdrawal:
    withdrawals.confirm(withdrawal, receipt, first)
    withdrawals.approve(withdrawal, "Checked", second)
    return withdrawal


def _send_back(deposit: Deposit, first: Actor, second: Actor) -> None:
    item = suspense.note_payment(receipt="UTR 9", amount=50_000, deposit=deposit, reason="At the bank", actor=first)
    suspense.confirm(item, "UTR 10", first)
    suspense.approve(item, "Yes", second)
