"""Stored sums of each day: they equal the added transfers, and the audit finds every one that does not."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from tests.support.books import a_day_of_play, account, seat
from tests.support.clock import from_noon
from tests.support.database import rolled_back
from tests.support.players import signed_up
from wallet.audit import audit
from wallet.audit.nightly import run_nightly
from wallet.base import triggers
from wallet.base.places import PostingPlace
from wallet.base.report_zone import zone
from wallet.finance.entries import count_and_sum, find_entries
from wallet.finance.periods import Period
from wallet.finance.totals import BALANCES, FIGURES, GROUPS, by_day, by_place, fees_by_player, figure_of
from wallet.ledger import sums
from wallet.ledger.triggers import TRIGGERS
from wallet.models import AccountKind, Closing, DaySum, FeeSum, PlaceSum, Transfer
from wallet.play_money import services as play_money

pytestmark = pytest.mark.django_db


def week() -> Period:
    today = timezone.now().astimezone(zone()).date()
    return Period(first=today - timedelta(days=6), last=today)


def play_on(seating: int) -> None:
    seat(seating, signed_up(f"player{seating}"), 500)
    play_money.settle_deal(
        key=f"deal:{seating}:settle", currency="FUN", winner=seating, losses={seating - 1: 40}, fee=4
    )


@pytest.fixture(scope="module")
def played(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Play once for all tests here, each of which undoes what it does."""
    with from_noon(), django_db_blocker.unblock(), rolled_back():
        a_day_of_play()
        seat(20, signed_up("player20"), 500)
        yield


@pytest.fixture(autouse=True)
def some_play(played: None, db: None) -> None:
    """Begin each test with what was played."""


@pytest.mark.databases
def test_kept_sums_and_those_added_up_are_the_same_at_any_moment() -> None:
    before = by_day(week(), "FUN")
    assert before[week().last].fees > 0
    assert sums.close_days() == Transfer.objects.count()
    assert by_day(week(), "FUN") == before
    play_on(21)
    partly = by_day(week(), "FUN")
    assert partly != before
    assert sums.close_days() > 0
    assert by_day(week(), "FUN") == partly
    assert sums.close_days() == 0
    assert [each.after for each in Closing.objects.order_by("pk")[1:]] == [
        each.last for each in Closing.objects.order_by("pk")
    ][:-1]
    assert partly[week().last].in_play == sum(
        each.balance for each in day_accounts() if each.kind in (AccountKind.STACK, AccountKind.POT)
    )


def day_accounts() -> Any:
    return type(account(AccountKind.FEES)).objects.filter(currency="FUN")


@pytest.mark.databases
@pytest.mark.parametrize("figure", ["", *FIGURES, *BALANCES])
def test_a_figure_is_what_its_entries_come_to_closed_or_not(figure: str) -> None:
    due = count_and_sum(find_entries(currency="FUN", what=figure, since=week().first, until=week().last), figure)
    assert figure_of("FUN", figure, week().first, week().last) == due
    sums.close_days()
    play_on(21)
    due = count_and_sum(find_entries(currency="FUN", what=figure, since=week().first, until=week().last), figure)
    assert figure_of("FUN", figure, week().first, week().last) == due == figure_of("FUN", figure)
    assert figure_of("FUN", figure, until=week().first) == (0, 0)


def test_pieces_come_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    due = by_day(week(), "FUN")
    monkeypatch.setattr(sums, "PIECE", 3)
    sums.close_days()
    assert Closing.objects.count() > 5
    assert by_day(week(), "FUN") == due
    assert audit.audit().differences == []


@pytest.mark.databases
def test_another_zone_has_days_of_its_own(settings: Any) -> None:
    sums.close_days()
    settings.REPORT_ZONE = "Pacific/Kiritimati"
    due, places = by_day(week(), "FUN"), details()
    assert due[week().last].fees > 0
    sums.close_days()
    assert by_day(week(), "FUN") == due
    assert details() == places
    assert audit.audit().differences == []


def details() -> list[Any]:
    """Return the reports of places and players for the week and for the time before it."""
    before = Period(first=week().first - timedelta(days=7), last=week().first - timedelta(days=1))
    places = [by_place(period, "FUN", group) for period in (week(), before) for group in GROUPS]
    players = [fees_by_player(period, "FUN") for period in (week(), before)]
    return [places, players]


@pytest.mark.databases
def test_places_and_players_come_to_the_same_closed_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    place = PostingPlace(table=7, title="By the sea", book="points-80", stake=3)
    owner = get_user_model()._default_manager.get(username="player20")
    add = partial(play_money.add_chips, seating=20, user=owner, currency="FUN", amount=5, place=place)
    add(key="seating:20:add:1")
    before = details()
    [tables, stakes, books] = before[0][: len(GROUPS)]
    assert {line.reference for line in tables} > {"table:7", "match:1", "seating:1"}
    assert {line.reference for line in stakes} > {"stake:3"}
    assert {line.reference for line in books} > {"book:points-80"}
    monkeypatch.setattr(sums, "PIECE", 5)
    sums.close_days()
    assert details() == before
    play_on(21)
    add(key="seating:20:add:2")
    partly = details()
    assert partly != before
    sums.close_days()
    assert details() == partly


@pytest.mark.databases
def test_the_night_adds_up_what_it_has_found_in_order() -> None:
    assert run_nightly().differences == 0
    assert sums.closed_up_to() == Transfer.objects.order_by("pk").last().pk  # type: ignore[union-attr]
    assert run_nightly().differences == 0


FAULTS = {
    "an amount": "UPDATE wallet_daysum SET amount = amount + 1 WHERE reason = 'deal' AND credit_kind = 'fees'",
    "a number of transfers": "UPDATE wallet_daysum SET transfers = transfers + 1 WHERE reason = 'buy_in'",
    "a day": "UPDATE wallet_daysum SET day = '2020-01-01' WHERE reason = 'prize'",
    "whose the chips are": "UPDATE wallet_daysum SET debit_unowned = NOT debit_unowned WHERE reason = 'cash_out'",
    "a sum gone": "DELETE FROM wallet_daysum WHERE reason = 'entry'",
    "a closing further than its sums": "UPDATE wallet_closing SET last = last - 1",
    "a closing that leaves some out": "UPDATE wallet_closing SET after = 1",
    "an amount at a place": "UPDATE wallet_placesum SET amount = amount + 1 WHERE credit_kind = 'fees'",
    "another table": "UPDATE wallet_placesum SET at_table = 9, at_book = 'x'",
    "a place gone": "DELETE FROM wallet_placesum WHERE reason = 'deal'",
    "fees of a player": "UPDATE wallet_feesum SET amount = amount - 1",
    "another player": "UPDATE wallet_feesum SET player_id = (SELECT MAX(id) FROM lobby_player u)",
    "fees gone": "DELETE FROM wallet_feesum WHERE player_id IS NULL",
    **{
        f"all of {table} twice": f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table}"
        for table, columns in (
            ("wallet_feesum", "closing_id, day, currency, player_id, transfers, amount"),
            (
                "wallet_daysum",
                "closing_id, day, currency, reason, debit_kind, debit_unowned, credit_kind, credit_unowned, transfers,"
                " amount",
            ),
            (
                "wallet_placesum",
                "closing_id, day, currency, reason, debit_kind, credit_kind, at_table, at_stake, at_book, at_title,"
                " account, transfers, amount",
            ),
        )
    },
}


@pytest.mark.databases
def test_the_audit_finds_every_sum_that_is_not_what_its_transfers_make() -> None:
    sums.close_days()
    assert audit.audit().differences == []
    triggers.remove(connection, TRIGGERS)
    assert {name: found_by_planting(sql) for name, sql in FAULTS.items()} == {name: {"closing"} for name in FAULTS}


def found_by_planting(sql: str) -> set[str]:
    """Return the checks that find something after this statement, and undo it."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(sql)
            assert cursor.rowcount > 0, sql
        triggers.install(connection, TRIGGERS)
        found = {each.check for each in audit.audit().differences}
        transaction.set_rollback(True)
    return found


@pytest.mark.databases
def test_stored_sums_do_not_change() -> None:
    sums.close_days()
    for model in (DaySum, Closing, PlaceSum, FeeSum):
        row = model._default_manager.order_by("pk")[:1].get()
        with pytest.raises(IntegrityError, match="what was added up stays"), transaction.atomic():
            model._default_manager.filter(pk=row.pk)._raw_delete(connection.alias)
