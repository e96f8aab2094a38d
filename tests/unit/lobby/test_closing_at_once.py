"""An account closed while its rupees move: none may end up on a closed account."""

from typing import Any

import pytest
from django.test import RequestFactory

from lobby.models import Player
from lobby.personal import closing
from tests.support import payments as cashiers
from tests.support.players import signed_up
from tests.unit.wallet.test_concurrency import assert_clean, at_once
from wallet.audit_log.services import Actor
from wallet.base.errors import Refusal, WalletError
from wallet.ledger import selectors as ledger
from wallet.payments import withdrawals
from wallet.payments.identity import queues
from wallet.payments.models import Deposit
from wallet.payments.postings import on_hold

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]


@pytest.fixture
def cashier(settings: Any) -> Actor:
    cashiers.switch_on(settings)
    return cashiers.person("cashier")


def person_with(rupees: int, by: Actor) -> Player:
    """Return somebody who may play for money and has that much, in paise."""
    player = signed_up()
    cashiers.make_eligible(player, by)
    if rupees:
        cashiers.pay_in(player, rupees)
    return player


def close(player: Player) -> None:
    try:
        closing.close_account(player, RequestFactory().get("/"))
    except Refusal as refusal:
        raise WalletError(refusal.code, refusal.message) from refusal


def is_closed(player: Player) -> bool:
    return Player.objects.get(pk=player.pk).closed_at is not None


def test_a_withdrawal_during_closing_keeps_account_and_money(cashier: Actor) -> None:
    asha = person_with(50_000, cashier)
    assert at_once(lambda: close(asha), lambda: cashiers.ask_out(asha, 50_000)) == {"not_yet": 1, "done": 1}
    assert (is_closed(asha), cashiers.rupees(asha), on_hold(asha)) == (False, 0, {"INR": 50_000})
    assert_clean()


@pytest.mark.parametrize("read", [(queues, "waits_for_decision"), (ledger, "balances")], ids=["waiting", "balances"])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_withdrawal_cancelled_during_the_check_is_noticed(
    cashier: Actor, monkeypatch: pytest.MonkeyPatch, read: tuple[Any, str], moment: str
) -> None:
    asha = person_with(50_000, cashier)
    withdrawal = cashiers.ask_out(asha, 50_000)
    module, name = read
    look = getattr(module, name)

    def meanwhile(player: Player) -> Any:
        if moment == "before":
            withdrawals.cancel(withdrawal=withdrawal)
        reasons = look(player)
        withdrawals.cancel(withdrawal=withdrawal)
        return reasons

    monkeypatch.setattr(module, name, meanwhile)
    assert closing.unfinished(asha) != []


def test_a_deposit_requested_during_closing_leaves_no_open_one(cashier: Actor) -> None:
    for _ in range(4):
        asha = person_with(0, cashier)
        ends = at_once(lambda asha=asha: close(asha), lambda asha=asha: cashiers.ask_in(asha, 50_000))  # type: ignore[misc]
        first_closed = is_closed(asha)
        assert ends == ({"done": 1, "locked": 1} if first_closed else {"not_yet": 1, "done": 1})
        assert Deposit.objects.filter(player=asha).exists() != first_closed
    assert_clean()


def test_an_open_session_of_a_closed_account_makes_no_deposit(cashier: Actor) -> None:
    asha = person_with(0, cashier)
    close(asha)
    assert cashiers.refusal(lambda: cashiers.ask_in(asha, 50_000)) == "locked"
