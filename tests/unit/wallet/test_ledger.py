"""One writer of the books: a posting is written whole or not at all, once for each key, and no balance is negative."""

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from tests.support.books import account, balance_account, books, seat
from tests.support.players import signed_up
from wallet.base import triggers
from wallet.base.errors import InsufficientBalance, KeyReused, WalletError
from wallet.base.money import LARGEST_AMOUNT
from wallet.ledger import ledger
from wallet.ledger.accounts import AccountName
from wallet.ledger.ledger import ROUTES, Line, post
from wallet.ledger.triggers import TRIGGERS
from wallet.models import Account, AccountKind, Posting, Reason, Transfer
from wallet.play_money import services as play_money

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

NO_AMOUNTS: list[Any] = [
    0,
    -1,
    -(2**63),
    LARGEST_AMOUNT + 1,
    2**63,
    10**400,
    1.0,
    0.5,
    1e3,
    math.nan,
    math.inf,
    True,
    Decimal(5),
    "5",
    "５",
    "1e3",
    None,
]


@pytest.fixture(autouse=True)
def two_players_at_a_table(db: None) -> None:
    seat(1, signed_up("asha"), 800)
    seat(2, signed_up("bela"), 800)


def stacks() -> tuple[Account, Account]:
    return account(AccountKind.STACK, "seating:1"), account(AccountKind.STACK, "seating:2")


def lose(amount: Any, *, key: str = "deal:1:settle", reason: Reason = Reason.DEAL) -> Posting:
    """Let seating 1 pay seating 2."""
    return post(key=key, lines=[Line(*stacks(), amount)], reason=reason)


def test_a_transfer_takes_from_one_and_gives_to_the_other() -> None:
    posting = lose(120)
    transfer = posting.transfers.get()
    assert (transfer.amount, transfer.debit_balance, transfer.credit_balance) == (120, 680, 920)
    assert [each.balance for each in stacks()] == [680, 920]


def test_running_balances_count_the_lines_before() -> None:
    asha, bela = stacks()
    post(
        key="deal:1:settle",
        lines=[Line(asha, bela, 100), Line(bela, asha, 30), Line(asha, bela, 5)],
        reason=Reason.DEAL,
    )
    running = Transfer.objects.filter(posting__key="deal:1:settle").order_by("line")
    assert list(running.values_list("debit_balance", "credit_balance")) == [(700, 900), (870, 730), (725, 875)]
    assert [each.balance for each in stacks()] == [725, 875]


def test_the_same_key_and_content_answers_the_first_posting_and_moves_nothing() -> None:
    first = lose(120)
    before = books()
    assert lose(120) == first
    assert books() == before


@pytest.mark.parametrize(
    "again",
    [
        lambda one, two: post(key="deal:1:settle", lines=[Line(one, two, 121)], reason=Reason.DEAL),
        lambda one, two: post(key="deal:1:settle", lines=[Line(two, one, 120)], reason=Reason.DEAL),
        lambda one, two: post(key="deal:1:settle", lines=[Line(one, two, 60), Line(one, two, 60)], reason=Reason.DEAL),
        lambda one, two: post(
            key="deal:1:settle", lines=[Line(one, balance_account("asha"), 120)], reason=Reason.CASH_OUT
        ),
    ],
    ids=["another amount", "other sides", "other lines", "another reason"],
)
def test_the_same_key_with_other_content_is_refused(again: Callable[[Account, Account], Posting]) -> None:
    lose(120)
    before = books()
    with pytest.raises(KeyReused) as refusal:
        again(*stacks())
    assert refusal.value.code == "key_reused"
    assert books() == before


def test_an_amount_that_would_be_refused_is_still_answered_when_it_was_posted_before() -> None:
    lose(800)
    before = books()
    lose(800)
    assert books() == before


def test_an_invalid_amount_is_refused_and_nothing_is_written() -> None:
    asha = balance_account("asha").owner
    before = books()
    for amount in NO_AMOUNTS:
        for attempt in (
            lambda amount=amount: lose(amount),
            lambda amount=amount: play_money.buy_in(seating=3, user=asha, currency="FUN", amount=amount),
            lambda amount=amount: play_money.add_chips(
                seating=1, user=asha, currency="FUN", amount=amount, key="seating:1:add:1"
            ),
            lambda amount=amount: play_money.rejoin_entry(
                match=1, seating=1, user=asha, currency="FUN", amount=amount, key="match:1:rejoin"
            ),
        ):
            with pytest.raises(WalletError):
                attempt()
            assert books() == before, amount


def test_an_invalid_amount_is_refused_where_zero_is_allowed() -> None:
    play_money.take_entries(match=1, currency="FUN", entries={1: 100})
    before = books()
    for amount in (each for each in NO_AMOUNTS if each != 0):
        for attempt in (
            lambda amount=amount: play_money.settle_deal(
                key="deal:1:settle", currency="FUN", winner=1, losses={2: amount}, fee=0
            ),
            lambda amount=amount: play_money.settle_deal(
                key="deal:1:settle", currency="FUN", winner=1, losses={2: 100}, fee=amount
            ),
            lambda amount=amount: play_money.cash_out(seating=1, amount=amount, key="seating:1:out"),
            lambda amount=amount: play_money.take_entries(match=2, currency="FUN", entries={1: 100, 2: amount}),
            lambda amount=amount: play_money.award_prize(match=1, currency="FUN", shares={1: 100}, fee=amount),
            lambda amount=amount: play_money.award_prize(match=1, currency="FUN", shares={1: amount}, fee=0),
            lambda amount=amount: play_money.refund_match(match=1, currency="FUN", refunds={1: amount}),
        ):
            with pytest.raises(WalletError):
                attempt()
            assert books() == before, amount


def test_no_more_than_there_is_can_be_taken() -> None:
    before = books()
    with pytest.raises(InsufficientBalance) as refusal:
        lose(801)
    assert refusal.value.code == "insufficient_balance"
    assert books() == before
    lose(800)
    assert [each.balance for each in stacks()] == [0, 1600]


def test_a_line_that_cannot_be_paid_undoes_those_before_it() -> None:
    asha, bela = stacks()
    before = books()
    with pytest.raises(InsufficientBalance):
        post(key="deal:1:settle", lines=[Line(asha, bela, 500), Line(asha, bela, 301)], reason=Reason.DEAL)
    assert books() == before


def test_only_routes_of_the_reason_are_open() -> None:
    accounts = [
        *Account.objects.all(),
        Account.objects.create(kind=AccountKind.POT, reference="match:1", currency="FUN"),
    ]
    accounts += [
        Account.objects.create(kind=kind, reference="house", currency="FUN")
        for kind in (AccountKind.FEES, AccountKind.PRACTICE)
    ]
    before = books()
    tried = 0
    for reason in Reason:
        for debit in accounts:
            for credit in accounts:
                if (debit.kind, credit.kind) not in ROUTES[reason]:
                    tried += 1
                    with pytest.raises(WalletError, match="does not go from"):
                        post(key="any", lines=[Line(debit, credit, 1)], reason=reason)
    assert tried > 300
    assert books() == before
    assert not any((AccountKind.PLAYER, AccountKind.PLAYER) in routes for routes in ROUTES.values())


def test_a_posting_needs_a_key_and_lines_between_two_accounts_in_one_currency() -> None:
    asha, bela = stacks()
    marks = Account.objects.create(kind=AccountKind.STACK, reference="seating:9", currency="TST", owner=asha.owner)
    before = books()
    for key, lines in (
        ("", [Line(asha, bela, 1)]),
        ("k" * 101, [Line(asha, bela, 1)]),
        ("deal:1:settle", []),
        ("deal:1:settle", [Line(asha, asha, 1)]),
        ("deal:1:settle", [Line(asha, marks, 1)]),
    ):
        with pytest.raises(WalletError, match=r"posting|lines|sides"):
            post(key=key, lines=lines, reason=Reason.DEAL)
    assert books() == before


def test_a_posting_is_rolled_back_with_its_transaction() -> None:
    before = books()
    with pytest.raises(RuntimeError), transaction.atomic():
        lose(120)
        raise RuntimeError("the table could not be saved")
    assert books() == before


def test_a_failure_at_any_statement_leaves_nothing_behind() -> None:
    before = books()
    statements = 0
    while True:
        statements += 1
        left = statements

        def fail(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                raise ConnectionError("the power went")
            return execute(sql, *rest)

        try:
            with transaction.atomic(), connection.execute_wrapper(fail):
                play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=1, losses={2: 120}, fee=12)
        except ConnectionError:
            assert books() == before
        else:
            break
    assert statements > 3
    assert [each.balance for each in stacks()] == [908, 680]


@pytest.mark.parametrize(("triggered", "error"), [(True, IntegrityError), (False, RuntimeError)])
def test_a_balance_that_moved_under_the_lock_undoes_everything(
    triggered: bool, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Either protection is enough: the database's triggers, or the condition in the UPDATE."""
    asha, bela = stacks()
    asha.balance += 5
    accounts = {AccountName.of(each): each for each in (asha, bela)}
    monkeypatch.setattr(ledger, "lock_all", lambda *_, **__: ledger.LockedAccounts(accounts, None, frozen=False))
    if not triggered:
        triggers.remove(connection, TRIGGERS)
    before = books()
    with pytest.raises(error), transaction.atomic():
        lose(120)
    assert books() == before
