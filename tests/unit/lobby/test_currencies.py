"""A currency is data: tables, books and exports take another one beside chips, and the two never mix."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lobby.models import Player, Stake
from tables.models import Seating, Table
from tables.play import services as play
from tests.support.currency import give_marks, marks_of
from tests.support.exports import write
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.staff import browser_of, employ
from tests.support.stakes import StakeFactory
from wallet.audit import audit
from wallet.base.errors import WalletError
from wallet.base.report_zone import zone
from wallet.finance.periods import Period
from wallet.finance.totals import by_day
from wallet.models import Account, AccountKind, Posting, Transfer
from wallet.play_money import services as play_money

pytestmark = [pytest.mark.django_db, pytest.mark.databases, pytest.mark.usefixtures("noon", "marks")]


@pytest.fixture
def stake(db: None) -> Stake:
    """Return a stake of points rummy for two at a mark a point."""
    return StakeFactory(currency="TST", point_value=100, title="In marks")


@pytest.fixture
def asha(db: None) -> Player:
    asha = signed_up("asha")
    give_marks(asha, 50_000)
    return asha


@pytest.fixture
def finance(db: None) -> Client:
    return browser_of(employ("finance"))


def test_a_deal_is_played_settled_reported_and_exported_in_another_currency(
    asha: Player, stake: Stake, finance: Client, clock: Any, client_of: Callable[..., Any], tmp_path: Path
) -> None:
    ravi = signed_up("ravi")
    give_marks(ravi, 50_000)
    for player in (asha, ravi):
        assert Program(player).post(f"stakes/{stake.pk}/seats/", {"buy_in": 20_000})[0] == 200
    table = Table.objects.get(stake_id=stake.pk, seatings__user=asha)
    players = [client_of(table, player) for player in (asha, ravi)]
    clock.wait(10)
    play.tick(table_id=table.pk)
    loser = players[players[0].view()["deal"]["turn_seat"]]
    winner = players[1 - players.index(loser)]
    assert loser.view()["table"]["money"] == {"digits": 2, "sign": "¤", "noun": ""}
    loser.send("drop")
    assert sorted(row["amount"] for row in winner.view()["result"]["rows"]) == [-2_000, 1_800]
    for player in players:
        player.send("leave")
    assert (marks_of(winner.user), marks_of(loser.user)) == (51_800, 48_000)
    assert {"currency": "TST", "free": 51_800, "in_play": 0} in Program(winner.user).get("wallet/")[1]["balances"]
    statement = Program(loser.user).get("wallet/statement/?currency=TST")[1]["results"]
    assert [row["amount"] for row in statement] == [18_000, -20_000, 50_000]

    assert Account.objects.get(kind=AccountKind.FEES, currency="TST").balance == 200
    today = timezone.now().astimezone(zone()).date()
    day = by_day(Period(first=today, last=today), "TST")[today]
    expected = {"fees": 200, "won": 2_000, "bought_in": 40_000, "liabilities": 99_800, "adjusted_up": 100_000}
    assert expected.items() <= asdict(day).items()
    assert "¤2.00" in finance.get("/finance/?currency=TST").content.decode()
    for currency in ("TST", "FUN"):
        of_currency = Transfer.objects.filter(debit__currency=currency)
        assert exported(tmp_path, currency) == set(of_currency.values_list("pk", flat=True))
    assert audit.audit().differences == []


def exported(folder: Path, currency: str) -> set[int]:
    """Return the transfers in an export, and check that every line is in that currency."""
    file = folder / f"{currency}.jsonl"
    write(file, "jsonl", currency=currency)
    *rows, totals = [json.loads(line) for line in file.read_text().splitlines()]
    assert {row["currency"] for row in rows} == {currency}
    assert totals
    return {row["transfer"] for row in rows}


def test_the_page_of_a_stake_asks_in_its_currency(asha: Player, stake: Stake) -> None:
    page = browser_of(asha)
    text = page.get(f"/sit/{stake.pk}/").content.decode()
    assert "¤80.00" in text
    assert 'value="250.00"' in text
    wrong = page.post(f"/sit/{stake.pk}/", {"buy_in": "80.001"})
    assert (wrong.status_code, Seating.objects.count()) == (400, 0)
    assert page.post(f"/sit/{stake.pk}/", {"buy_in": "80.50"})["Location"].startswith("/tables/")
    assert marks_of(asha) == 50_000 - 8_050


def mixtures() -> Iterator[tuple[str, Callable[[int], object]]]:
    """Yield every way to pay at a table of one currency with another; a call takes a seating with a stack in marks."""
    yield (
        "a deal",
        lambda seating: play_money.settle_deal(key="x", currency="FUN", winner=seating, losses={2: 5}, fee=0),
    )
    yield "entries", lambda seating: play_money.take_entries(match=1, currency="FUN", entries={seating: 5})
    yield (
        "both in one pot",
        lambda seating: play_money.take_entries(match=1, currency="TST", entries={seating: 5, 2: 5}),
    )
    yield (
        "both in one deal",
        lambda seating: play_money.settle_deal(key="x", currency="TST", winner=seating, losses={2: 5}, fee=0),
    )
    yield "a prize", lambda seating: play_money.award_prize(match=7, currency="FUN", shares={seating: 40}, fee=0)
    yield "a split", lambda seating: play_money.award_prize(match=7, currency="TST", shares={2: 20, 3: 20}, fee=0)
    yield "a refund", lambda seating: play_money.refund_match(match=7, currency="TST", refunds={2: 40})


def test_nothing_is_paid_in_the_other_currency(asha: Player) -> None:
    ravi = signed_up("ravi")
    play_money.buy_in(seating=1, user=asha, currency="TST", amount=1_000)
    for seating in (2, 3, 4):
        play_money.buy_in(seating=seating, user=ravi, currency="FUN", amount=1_000)
    play_money.take_entries(match=7, currency="FUN", entries={4: 40})
    before = Posting.objects.count()
    for what, pay in mixtures():
        with pytest.raises(WalletError):
            pay(1)
        assert Posting.objects.count() == before, what
    with pytest.raises(WalletError):
        play_money.add_chips(seating=1, user=asha, currency="FUN", amount=5, key="x")
    with pytest.raises(WalletError):
        play_money.rejoin_entry(match=7, seating=1, user=asha, currency="TST", amount=5, key="x")
    assert Posting.objects.count() == before
    # Here money moves for tables that do not exist.
    assert [finding for finding in audit.audit().differences if finding.check != "derived"] == []
