"""Concurrent requests: the first wins, the rest are plainly refused, and no chip appears or vanishes."""

import threading

import pytest
from django.contrib.auth import get_user_model
from django.db.models import Sum

from tests.support.books import balance_account, seat
from tests.support.findings import assert_clean
from tests.support.players import signed_up
from tests.support.side_by_side import outcomes
from wallet.audit import audit
from wallet.ledger import selectors as ledger
from wallet.models import Account
from wallet.play_money import services as play_money

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]

PLAYERS = 16


def test_of_many_buy_ins_as_many_succeed_as_the_balance_allows() -> None:
    asha = signed_up("asha")
    ends = outcomes(
        *(
            lambda seating=seating: play_money.buy_in(seating=seating, user=asha, currency="FUN", amount=1_000)
            for seating in range(1, PLAYERS + 1)
        )
    )
    assert ends == {"done": 10, "insufficient_balance": PLAYERS - 10}
    assert balance_account("asha").balance == 0
    assert_clean()


def test_one_request_sent_many_times_at_once_is_done_once() -> None:
    asha = signed_up("asha")
    ends = outcomes(*[lambda: play_money.buy_in(seating=1, user=asha, currency="FUN", amount=1_000)] * PLAYERS)
    assert ends == {"done": PLAYERS}
    assert (balance_account("asha").balance, ledger.stack(1)) == (9_000, 1_000)
    assert_clean()


def test_signing_up_many_times_at_once_grants_once() -> None:
    asha = get_user_model().objects.create_user(username="asha", password="a long pass phrase")
    ends = outcomes(*[lambda: play_money.open_wallet(asha)] * PLAYERS)
    assert ends == {"done": PLAYERS}
    assert balance_account("asha").balance == 10_000
    assert_clean()


def test_of_two_outcomes_of_a_deal_settled_at_once_one_holds() -> None:
    for seating, name in enumerate(("asha", "bela"), start=1):
        seat(seating, signed_up(name), 800)
    for deal in range(5):
        ends = outcomes(
            *(
                lambda winner=winner, deal=deal: play_money.settle_deal(
                    key=f"deal:{deal}:settle", currency="FUN", winner=winner, losses={3 - winner: 80}, fee=8
                )
                for winner in (1, 2) * 4
            )
        )
        assert ends == {"done": 4, "key_reused": 4}
    assert ledger.stack(1) + ledger.stack(2) == 1600 - 5 * 8
    assert_clean()


def test_payments_in_both_directions_do_not_wait_for_each_other_for_ever() -> None:
    for seating, name in enumerate(("asha", "bela", "chand"), start=1):
        seat(seating, signed_up(name), 800)

    def settle(worker: int) -> None:
        for deal in range(6):
            winner = (worker + deal) % 3 + 1
            losses = {seating: 1 for seating in (1, 2, 3) if seating != winner}
            key = f"deal:{worker * 100 + deal}:settle"
            play_money.settle_deal(key=key, currency="FUN", winner=winner, losses=losses, fee=1)

    ends = outcomes(*(lambda worker=worker: settle(worker) for worker in range(8)))
    assert ends == {"done": 8}
    assert sum(ledger.stack(seating) for seating in (1, 2, 3)) == 2400 - 48
    assert_clean()


def test_whoever_looks_meanwhile_sees_no_chip_too_many_or_too_few() -> None:
    users = [signed_up(name) for name in ("asha", "bela")]
    over = threading.Event()
    totals: set[int | None] = set()
    differences: list[object] = []

    def look() -> None:
        while True:
            totals.add(Account.objects.aggregate(Sum("balance"))["balance__sum"])
            differences.extend(audit.audit().differences)
            if over.is_set():
                return

    def play(seating: int) -> None:
        user = users[seating % 2]
        for sitting in range(4):
            place = seating * 100 + sitting
            play_money.buy_in(seating=place, user=user, currency="FUN", amount=500)
            play_money.cash_out(seating=place, amount=500, key=f"seating:{place}:out")
        over.set()

    ends = outcomes(look, *(lambda seating=seating: play(seating) for seating in range(4)))
    assert ends == {"done": 5}
    assert totals == {0}
    assert differences == []
    assert [balance_account(name).balance for name in ("asha", "bela")] == [10_000, 10_000]
