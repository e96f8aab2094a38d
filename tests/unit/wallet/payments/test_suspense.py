"""Money that belongs to no balance waits until two people return it; what a bank returns is its player's again."""

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.db import DatabaseError, connection

from tests.support.payments import ask_in, ask_out, at_gateway, declare, pay_in, refusal, rupees, tell
from tests.unit.wallet.payments.test_audit import bare
from tests.unit.wallet.test_audit import checks_with_findings, make_chain_fit, strip
from wallet.audit import audit
from wallet.audit.nightly import freeze
from wallet.audit_log.services import PLATFORM, Actor
from wallet.models import Posting
from wallet.payments import deposits, suspense, withdrawals
from wallet.payments.models import Deposit, SuspenseItem, Withdrawal
from wallet.payments.providers import test

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def paid_out(asha: AbstractBaseUser, first: Actor, second: Actor) -> Withdrawal:
    pay_in(asha, 100_000)
    withdrawal = ask_out(asha, 60_000)
    withdrawals.confirm(withdrawal, "UTR 1", first)
    withdrawals.approve(withdrawal, "Checked", second)
    return withdrawal


def note(deposit: Deposit | None, actor: Actor, receipt: str = "UTR 9", amount: int = 50_000) -> SuspenseItem:
    return suspense.note_payment(receipt=receipt, amount=amount, deposit=deposit, reason="At the bank", actor=actor)


def test_a_late_payment_is_returned_by_two_people(asha: AbstractBaseUser, first: Actor, second: Actor) -> None:
    item = note(deposits.cancel(deposit=ask_in(asha, 50_000)), first)
    assert (item.why, item.player, at_gateway(), rupees(asha)) == ("closed", asha, -50_000, 0)
    assert refusal(lambda: suspense.approve(item, "Yes", second)) == "decided"
    suspense.confirm(item, "utr 10", first)
    assert refusal(lambda: suspense.approve(item, "Yes", first)) == "same_person"
    assert refusal(lambda: suspense.approve(item, "Yes", PLATFORM)) == "no_person"
    suspense.approve(item, "Yes", second)
    assert refusal(lambda: suspense.approve(item, "Again", second)) == "decided"
    assert (at_gateway(), rupees(asha)) == (0, 0)
    assert Posting.objects.filter(key="suspense:bank:UTR 9:back", reason="sent_back").exists()
    assert audit.audit().differences == []


def test_an_ineligible_player_gets_their_deposit_back(asha: AbstractBaseUser, first: Actor, second: Actor) -> None:
    deposit = ask_in(asha, 50_000)
    deposits.confirm(deposit, "UTR 4711", first)
    declare(asha, jurisdiction="IN-TN")
    assert refusal(lambda: deposits.approve(deposit, "Seen", second)) == "not_permitted_there"
    assert refusal(lambda: suspense.set_aside(deposit, "Moved", first)) == "same_person"
    item = suspense.set_aside(deposit, "Moved away", second)
    deposit.refresh_from_db()
    assert (deposit.status, item.status, item.arrival, at_gateway()) == ("refused", "waits", "UTR 4711", -50_000)
    assert refusal(lambda: suspense.set_aside(deposit, "Again", second)) == "decided"
    assert audit.audit().differences == []


def test_a_receipt_is_one_payment_in_whatever_letters_and_a_refused_one_is_free(
    asha: AbstractBaseUser, first: Actor, second: Actor
) -> None:
    wrong, right = ask_in(asha, 50_000), ask_in(asha, 50_000, request="in2")
    deposits.confirm(wrong, "utr 4711", first)
    assert refusal(lambda: deposits.confirm(right, " UTR  4711 ", first)) == "reference_used"
    assert refusal(lambda: note(None, first, "Utr 4711")) == "reference_used"
    deposits.refuse(wrong, "It was for the other one", second)
    deposits.confirm(right, "UTR 4711", first)
    deposits.approve(right, "Seen", second)
    assert rupees(asha) == 50_000
    note(None, first, "utr 5")
    third = ask_in(asha, 50_000, request="in3")
    assert refusal(lambda: deposits.confirm(third, "UTR 5", first)) == "reference_used"
    assert refusal(lambda: note(third, first, "UTR 6")) == "still_open"
    assert audit.audit().differences == []


def test_a_returned_payment_is_the_players_again_once(asha: AbstractBaseUser, first: Actor, second: Actor) -> None:
    paid = paid_out(asha, first, second)
    item = suspense.note_return(withdrawal=paid, receipt="RET 1", reason="No such account", actor=first)
    assert (rupees(asha), item.amount, item.status) == (40_000, 60_000, "confirmed")
    again = {"withdrawal": paid, "receipt": "RET 2", "reason": "No such account", "actor": second}
    assert refusal(lambda: suspense.note_return(**again)) == "decided"
    assert refusal(lambda: suspense.approve(item, "Mine", first)) == "same_person"
    suspense.approve(item, "On the statement", second)
    paid.refresh_from_db()
    assert (rupees(asha), paid.status, at_gateway()) == (100_000, "came_back", 0)
    assert Posting.objects.filter(key=f"withdrawal:{paid.pk}:came_back").exists()
    assert refusal(lambda: suspense.note_return(**again)) == "decided"
    assert refusal(lambda: suspense.approve(item, "Again", second)) == "decided"
    assert audit.audit().differences == []


def test_nothing_comes_back_that_was_not_paid(asha: AbstractBaseUser, first: Actor) -> None:
    pay_in(asha, 100_000)
    waits = ask_out(asha, 60_000)
    back = {"withdrawal": waits, "receipt": "RET 1", "reason": "Returned", "actor": first}
    assert refusal(lambda: suspense.note_return(**back)) == "decided"


def test_while_the_books_are_frozen_nothing_goes_back(asha: AbstractBaseUser, first: Actor, second: Actor) -> None:
    item = note(None, first)
    suspense.confirm(item, "UTR 10", first)
    freeze("A difference")
    assert refusal(lambda: suspense.approve(item, "Yes", second)) == "settlement_frozen"


#: What somebody does behind our backs, and which check names it.
FAULTS = {
    "a payment in suspense vanished": ("DELETE FROM gateways_suspenseitem WHERE id = {item}", {"suspense", "gateway"}),
    "it counts as sent back": (
        "UPDATE gateways_suspenseitem SET status = 'sent_back' WHERE id = {item}",
        {"suspense", "gateway", "two_people"},
    ),
    "another amount": (
        "UPDATE gateways_suspenseitem SET amount = amount + 1 WHERE id = {item}", {"suspense", "gateway"},
    ),
    "of another payment": ("UPDATE gateways_suspenseitem SET arrival = 'X1' WHERE id = {item}", {"suspense"}),
    "come back by nobody": (
        "UPDATE gateways_suspenseitem SET confirmed_by_id = NULL WHERE id = {back}", {"two_people"},
    ),
    "a withdrawal that came back counts as paid": (
        "UPDATE gateways_withdrawal SET status = 'paid' WHERE id = {paid}", {"suspense"},
    ),
    "paid, and not kept": (
        "UPDATE gateways_suspenseitem SET event_id = NULL WHERE id = {told}", {"suspense"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name: str, asha: AbstractBaseUser, first: Actor, second: Actor) -> None:
    paid = paid_out(asha, first, second)
    back = suspense.note_return(withdrawal=paid, receipt="RET 1", reason="No such account", actor=first)
    suspense.approve(back, "On the statement", second)
    deposit = ask_in(asha, 20_000, "test", "in9")
    tell(test.paid(deposit, amount=1))
    outcome = tell(test.paid(deposit, amount=2))
    item = note(None, first)
    statement, checks = FAULTS[name]
    strip()
    bare("gateways_event", "gateways_deposit", "gateways_withdrawal", "gateways_suspenseitem")
    with connection.cursor() as cursor:
        names = {"item": item.pk, "back": back.pk, "paid": paid.pk, "told": outcome.suspended.pk}
        cursor.execute(statement.format(**names))
    make_chain_fit()
    assert checks_with_findings() == checks


def test_the_database_itself_wants_two_people(first: Actor) -> None:
    item = note(None, first)
    with pytest.raises(DatabaseError):
        SuspenseItem.objects.filter(pk=item.pk).update(status="sent_back")
