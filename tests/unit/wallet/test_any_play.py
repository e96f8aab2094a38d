"""Any operations with money in any order, repeated at will: the books agree with plain addition."""

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.support.books import account, balance_account
from tests.support.players import signed_up
from wallet.audit import audit
from wallet.base.errors import InsufficientBalance, KeyReused
from wallet.ledger import selectors as ledger
from wallet.models import AccountKind
from wallet.play_money import services as play_money

NAMES = ("asha", "bela", "chand")
AMOUNTS = st.one_of(st.integers(1, 900), st.integers(1, 12_000))
MATCHES = st.integers(1, 3)


class AnyPlay(RuleBasedStateMachine):
    """State machine of three players, a computer player, their stacks and three pots, with plain numbers beside the
    books."""

    def __init__(self) -> None:
        super().__init__()
        self.transaction = transaction.atomic()
        self.transaction.__enter__()
        self.users: dict[int, AbstractBaseUser | None] = {}
        self.free: dict[int, int] = {}
        self.stacks: dict[int, int] = {}
        self.owner: dict[int, int] = {}
        self.pots: dict[int, int] = {}
        self.fees = 0
        self.posted = 0
        self.last: tuple[object, dict[str, object]] | None = None

    def teardown(self) -> None:
        assert audit.audit().differences == []
        transaction.set_rollback(True)
        self.transaction.__exit__(None, None, None)

    @initialize()
    def sign_up(self) -> None:
        self.users = dict(enumerate([*map(signed_up, NAMES), None]))
        self.free = dict.fromkeys(range(3), 10_000)

    def do(self, service: object, **arguments: object) -> bool:
        """Call the service, and return whether it succeeded; it must refuse what cannot be paid, and only that."""
        try:
            service(**arguments)  # type: ignore[operator]
        except InsufficientBalance:
            return False
        self.last = (service, arguments)
        return True

    def can_pay(self, player: int, amount: int) -> bool:
        return self.users[player] is None or self.free[player] >= amount

    def pay(self, player: int, amount: int) -> None:
        if self.users[player] is not None:
            self.free[player] -= amount

    def next_key(self, kind: str) -> str:
        self.posted += 1
        return f"{kind}:{self.posted}"

    @rule(player=st.integers(0, 3), amount=AMOUNTS)
    def sit(self, player: int, amount: int) -> None:
        seating = len(self.stacks) + 1
        succeeded = self.do(play_money.buy_in, seating=seating, user=self.users[player], currency="FUN", amount=amount)
        assert succeeded == self.can_pay(player, amount)
        if succeeded:
            self.pay(player, amount)
            self.stacks[seating], self.owner[seating] = amount, player

    def seating(self, data: st.DataObject) -> int:
        return data.draw(st.sampled_from(sorted(self.stacks)))

    @rule(data=st.data(), amount=AMOUNTS)
    def add(self, data: st.DataObject, amount: int) -> None:
        if self.stacks:
            seating = self.seating(data)
            player = self.owner[seating]
            succeeded = self.do(
                play_money.add_chips,
                seating=seating,
                user=self.users[player],
                currency="FUN",
                amount=amount,
                key=self.next_key("add"),
            )
            assert succeeded == self.can_pay(player, amount)
            if succeeded:
                self.pay(player, amount)
                self.stacks[seating] += amount

    @rule(data=st.data(), amount=AMOUNTS, percent=st.integers(0, 20))
    def settle(self, data: st.DataObject, amount: int, percent: int) -> None:
        if len(self.stacks) > 1:
            winner = self.seating(data)
            losers = data.draw(st.sets(st.sampled_from(sorted(self.stacks.keys() - {winner})), min_size=1))
            fee = amount * len(losers) * percent // 100
            losses = dict.fromkeys(losers, amount)
            succeeded = self.do(
                play_money.settle_deal, key=self.next_key("deal"), currency="FUN", winner=winner, losses=losses, fee=fee
            )
            assert succeeded == all(self.stacks[loser] >= amount for loser in losers)
            if succeeded:
                for loser in losers:
                    self.stacks[loser] -= amount
                self.stacks[winner] += amount * len(losers) - fee
                self.fees += fee

    @rule(data=st.data(), amount=AMOUNTS)
    def leave(self, data: st.DataObject, amount: int) -> None:
        if self.stacks:
            seating = self.seating(data)
            succeeded = self.do(play_money.cash_out, seating=seating, amount=amount, key=self.next_key("out"))
            assert succeeded == (self.stacks[seating] >= amount)
            if succeeded:
                self.stacks[seating] -= amount
                self.pay(self.owner[seating], -amount)

    @rule(data=st.data(), match=MATCHES, amount=AMOUNTS)
    def enter(self, data: st.DataObject, match: int, amount: int) -> None:
        if self.stacks and match not in self.pots:
            seatings = data.draw(st.sets(st.sampled_from(sorted(self.stacks)), min_size=1))
            entries = dict.fromkeys(seatings, amount)
            succeeded = self.do(play_money.take_entries, match=match, currency="FUN", entries=entries)
            assert succeeded == all(self.stacks[seating] >= amount for seating in seatings)
            if succeeded:
                self.pots[match] = amount * len(seatings)
                for seating in seatings:
                    self.stacks[seating] -= amount

    @rule(data=st.data(), percent=st.integers(0, 20), refund=st.booleans())
    def end(self, data: st.DataObject, percent: int, refund: bool) -> None:
        running = sorted(match for match, pot in self.pots.items() if pot)
        if running:
            match = data.draw(st.sampled_from(running))
            self.pay_out(match, 0 if refund else self.pots[match] * percent // 100, refund)

    def pay_out(self, match: int, fee: int, refund: bool) -> None:
        """Pay the first who entered, whoever that is."""
        entered = account(AccountKind.POT, f"match:{match}").credits.earliest("pk").debit.reference
        seating = int(entered.removeprefix("seating:"))
        amount = self.pots[match] - fee
        if refund:
            assert self.do(play_money.refund_match, match=match, currency="FUN", refunds={seating: amount})
        else:
            assert self.do(play_money.award_prize, match=match, currency="FUN", shares={seating: amount}, fee=fee)
        self.pots[match] = 0
        self.fees += fee
        self.pay(self.owner[seating], -amount)

    @rule()
    def repeat(self) -> None:
        """Send the last request again, as a network may."""
        if self.last is not None:
            service, arguments = self.last
            service(**arguments)  # type: ignore[operator]

    @rule()
    def forge(self) -> None:
        """Send the last request again with another amount."""
        if self.last is not None and "amount" in self.last[1]:
            service, arguments = self.last
            with pytest.raises(KeyReused):
                service(**{**arguments, "amount": int(str(arguments["amount"])) + 1})  # type: ignore[operator]

    @invariant()
    def the_books_agree(self) -> None:
        assert {player: balance_account(NAMES[player]).balance for player in self.free} == self.free
        assert {seating: ledger.stack(seating) for seating in self.stacks} == self.stacks
        assert {match: ledger.pot(match) for match in self.pots} == self.pots
        if self.fees:
            assert account(AccountKind.FEES).balance == self.fees


@pytest.mark.django_db
def test_the_books_agree_with_plain_sums_after_any_play() -> None:
    run_state_machine_as_test(
        AnyPlay,
        settings=settings(
            max_examples=12,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )
