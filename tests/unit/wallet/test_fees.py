"""Whose fees: shared by one published rule, so that players, tables and days come to the same sum, whatever happens."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given, strategies as st

from tests.support.books import seat
from tests.support.finance import sign_in
from tests.support.players import signed_up
from wallet.audit import audit
from wallet.base.places import PostingPlace
from wallet.base.report_zone import zone
from wallet.finance.entries import count_and_sum, find_entries
from wallet.finance.periods import Period
from wallet.finance.reports import players as players_report
from wallet.finance.totals import FEE_RULE, GROUPS, by_day, by_place, fees_by_player
from wallet.ledger import sums
from wallet.ledger.fees import fee_parts, fee_shares
from wallet.play_money import services as play_money

AMOUNTS = st.lists(st.integers(1, 10**6), min_size=1, max_size=12)


@given(fee=st.integers(0, 10**9), amounts=AMOUNTS)
def test_parts_are_whole_units_of_the_whole_fee_each_at_most_one_beside_its_proportion(
    fee: int, amounts: list[int]
) -> None:
    shares = fee_parts(fee, amounts)
    assert sum(shares) == fee
    for part, amount in zip(shares, amounts, strict=True):
        assert abs(part * sum(amounts) - fee * amount) <= sum(amounts)
    # What is left over falls on those who paid first.
    extra = [part - fee * amount // sum(amounts) for part, amount in zip(shares, amounts, strict=True)]
    assert extra == sorted(extra, reverse=True)


def test_the_example_of_the_books() -> None:
    assert fee_parts(203, [500] * 4) == [51, 51, 51, 50]
    assert fee_shares(203, [(1, 500), (2, 500), (3, 500), (3, 500)]) == {1: 51, 2: 51, 3: 101}
    assert fee_shares(1, [(1, 500), (None, 500)]) == {1: 1}


class Evening:
    """Deals and pots with fees, by chance, over three days, at tables and nowhere, with computers and rejoins."""

    def __init__(self) -> None:
        self.random, self.seats = Random(1), 0
        self.players: list[Any] = [None]

    def play(self, rounds: int) -> None:
        began = timezone.now() - timedelta(days=3)
        with time_machine.travel(began, tick=True):
            self.players += [signed_up() for _ in range(4)]
        for number in range(1, rounds + 1):
            with time_machine.travel(began + timedelta(days=3 * number / rounds), tick=True):
                place = PostingPlace(
                    table=number % 3 + 1, title=f"Table {number % 3 + 1}", book="standard-pool-101", stake=number % 2
                )
                self.random.choice((self.deal, self.pot))(number, place if self.random.random() < 0.8 else None)
                if self.random.random() < 0.3:
                    sums.close_days()

    def sit(self, stack: int) -> dict[int, Any]:
        table = {}
        for user in self.random.sample(self.players, self.random.randrange(2, 5)):
            self.seats += 1
            seat(self.seats, user, stack)
            table[self.seats] = user
        return table

    def deal(self, number: int, place: PostingPlace | None) -> None:
        winner, *losers = self.sit(100)
        losses = {seating: self.random.randrange(1, 100) for seating in losers}
        fee = self.random.randrange(sum(losses.values()))
        play_money.settle_deal(
            key=f"deal:{number}:settle", currency="FUN", winner=winner, losses=losses, fee=fee, place=place
        )

    def pot(self, number: int, place: PostingPlace | None) -> None:
        entry, table = self.random.randrange(1, 60), self.sit(100)
        play_money.take_entries(match=number, currency="FUN", entries=dict.fromkeys(table, entry), place=place)
        paid = entry * len(table)
        for seating, user in table.items():
            if self.random.random() < 0.4:
                key = f"match:{number}:seating:{seating}:rejoin:1"
                play_money.rejoin_entry(
                    match=number, seating=seating, user=user, currency="FUN", amount=entry, key=key, place=place
                )
                paid += entry
        if self.random.random() < 0.5:
            # A pot that is paid out only after the night has closed what was paid in.
            sums.close_days()
        fee = self.random.randrange(paid)
        play_money.award_prize(match=number, currency="FUN", shares={min(table): paid - fee}, fee=fee, place=place)


def periods() -> Iterator[Period]:
    today = timezone.now().astimezone(zone()).date()
    days = [today - timedelta(days=n) for n in range(5)]
    yield Period(first=days[-1], last=days[0])
    for day in days:
        yield Period(first=day, last=day)


@pytest.mark.django_db
@pytest.mark.databases
def test_players_tables_and_days_come_to_the_same_fees_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "PIECE", 7)
    Evening().play(25)
    for _ in range(2):
        for period in periods():
            days = sum(totals.fees for totals in by_day(period, "FUN").values())
            players = fees_by_player(period, "FUN")
            assert sum(line.fees for line in players) == days
            assert sum(row[3] for row in players_report(period, "FUN").rows) == days
            for group in GROUPS:
                assert sum(line.totals.fees for line in by_place(period, "FUN", group)) == days
            for line in players:
                if line.player is not None:
                    entries = find_entries(
                        since=period.first, until=period.last, currency="FUN", what="fees", player=line.player
                    )
                    assert count_and_sum(entries, "fees", line.player)[1] == line.fees
        assert audit.audit().differences == []
        # And again with all of it in stored sums.
        sums.close_days()


@pytest.mark.django_db
def test_page_api_and_file_say_the_rule_and_the_same_figures(client: Client, django_user_model: Any) -> None:
    asha, bela = signed_up("asha"), signed_up("bela")
    for seating, user in ((1, asha), (2, bela), (3, None)):
        seat(seating, user, 500)
    play_money.take_entries(match=1, currency="FUN", entries={1: 500, 2: 500, 3: 500})
    play_money.award_prize(match=1, currency="FUN", shares={1: 1400}, fee=100)
    finance = sign_in(django_user_model, "fina", "view_finance")
    answer = finance.get(reverse("api-finance-fees")).json()
    assert answer["players"] == [
        {"player": asha.pk, "name": "asha", "times": 1, "fees": 34},
        {"player": None, "name": "Computer players", "times": 1, "fees": 33},
        {"player": bela.pk, "name": "bela", "times": 1, "fees": 33},
    ]
    page = finance.get(reverse("finance:fees")).content.decode()
    assert FEE_RULE.split(".")[1] in page.replace("&#x27;", "'")
    file = finance.post(reverse("finance:report_file"), {"report": "players", "format": "csv"}).getvalue().decode()
    assert FEE_RULE in file
    assert "sum of fees,100" in file
    entries = finance.get(reverse("finance:entries"), {"what": "fees", "currency": "FUN", "player": f"{bela.pk}"})
    assert entries.context["come_to"] == (1, 33)
    assert "only their part" in entries.content.decode()
