"""Fees of several tables at once: nobody waits for the house's account, and its sum is right to the unit."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import Sum

from tests.support.books import account, books, seat
from tests.support.findings import assert_clean
from tests.support.players import signed_up
from tests.support.side_by_side import outcomes
from wallet.base.errors import KeyReused
from wallet.finance.entries import accounts_of
from wallet.ledger import selectors, writing
from wallet.models import Account, AccountKind, Posting, Reason
from wallet.play_money import services as play_money

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]


@pytest.fixture(autouse=True)
def two_tables(db: None) -> None:
    for seating in range(1, 5):
        seat(seating, signed_up(f"player{seating}"), 800)


def settle(deal: int, loser: int, winner: int) -> Posting | None:
    return play_money.settle_deal(key=f"deal:{deal}:settle", currency="FUN", winner=winner, losses={loser: 100}, fee=10)


def fees() -> int:
    return sum(Account.objects.filter(kind=AccountKind.FEES).values_list("balance", flat=True))


def needs_several_writers() -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one writer")


def meanwhile(deal: int, loser: int, winner: int) -> None:
    """Settle a deal on another connection, which waits for nothing."""

    def impatient() -> None:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '1ms'")
            settle(deal, loser, winner)

    assert outcomes(impatient) == {"done": 1}


def test_a_deal_does_not_wait_for_the_fees_of_another_table() -> None:
    needs_several_writers()
    settle(1, 1, 2)
    with transaction.atomic():
        settle(2, 1, 2)
        meanwhile(3, 3, 4)
        meanwhile(4, 4, 3)
    settle(5, 3, 4)
    fee_balances = {each.reference: each.balance for each in Account.objects.filter(kind=AccountKind.FEES)}
    assert sorted(fee_balances.values()) == [20, 30]
    assert "house" in fee_balances
    assert {selectors.posted([key])[key].entries[-1].credit for key in ("deal:2:settle", "deal:3:settle")} == {
        ("fees", "house")
    }
    assert sum(each.balance for each in accounts_of("house")) + selectors_held() == 0
    assert_clean()


def selectors_held() -> int:
    """Return what everybody but the house holds."""
    others = Account.objects.exclude(pk__in=[each.pk for each in accounts_of("house")])
    return others.aggregate(held=Sum("balance"))["held"] or 0


def test_the_first_fees_of_all_may_come_at_once() -> None:
    ends = outcomes(*(lambda deal=deal: settle(deal, 2 * (deal % 2) + 1, 2 * (deal % 2) + 2) for deal in range(8)))
    assert ends == {"done": 8}
    assert fees() == 80
    assert_clean()


def test_a_stack_is_waited_for() -> None:
    needs_several_writers()
    with transaction.atomic():
        settle(2, 1, 2)
        with pytest.raises(OperationalError, match="lock timeout"):
            meanwhile(3, 2, 4)
    assert fees() == 10


def test_a_deal_settled_twice_is_paid_once_whichever_account_took_the_fee() -> None:
    needs_several_writers()
    settle(1, 1, 2)
    with transaction.atomic():
        settle(2, 1, 2)
        meanwhile(3, 3, 4)
    first = Posting.objects.get(key="deal:3:settle")
    assert first.transfers.get(line=1).credit.reference != "house"
    assert settle(3, 3, 4) == first
    with pytest.raises(KeyReused):
        settle(3, 4, 3)
    assert fees() == 30
    assert_clean()


def test_both_ways_of_writing_leave_the_same_books(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each account, posting and transfer, except its time and the links that depend on it."""
    needs_several_writers()

    def written(write: Callable[..., bool]) -> list[Any]:
        monkeypatch.setattr("wallet.ledger.ledger.write_postings", write)
        with transaction.atomic():
            monkeypatch.setattr("wallet.ledger.ledger.timezone.now", lambda: first.created_at)
            settle(7, 1, 2)
            assert settle(7, 1, 2) == Posting.objects.get(key="deal:7:settle")
            posting = Posting(key="deal:7:settle", digest="0" * 64, reason=Reason.DEAL, created_at=first.created_at)
            stack = account(AccountKind.STACK, "seating:1")
            change = writing.AccountChange(stack.pk, stack.balance, 0, "0" * 64)
            move = writing.WrittenTransfer(0, stack.pk, stack.pk + 1, 1, 0, 0, "")
            assert not write([writing.NewPosting(posting, [move])], [change])
            by_services = [[row[1:] for row in rows] for rows in books()]
            transaction.set_rollback(True)
        # Ids are spent also by what is undone: those of postings stand in no two runs.
        return [by_services[0], by_services[1], [row[1:] for row in by_services[2]]]

    first = settle(1, 1, 2)
    assert first is not None
    assert written(writing.write_at_once) == written(writing.write_by_table)
