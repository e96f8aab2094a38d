"""Every figure of finance leads to its entries, on a platform with one of everything."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tables.models import Table
from wallet.base.report_zone import zone
from wallet.finance.entries import find_entries
from wallet.finance.periods import Period
from wallet.finance.totals import BALANCES, GROUPS, by_day, by_place
from wallet.models import Account, AccountKind

pytestmark = pytest.mark.django_db


@pytest.fixture
def period(built: None, db: None) -> Period:
    today = timezone.now().astimezone(zone()).date()
    return Period(first=today - timedelta(days=6), last=today + timedelta(days=1))


def signed(figure: str, **more: Any) -> int:
    """Return the sum of the entries behind a balance."""
    which = {
        "in_play": (AccountKind.STACK, AccountKind.POT),
        "liabilities": (AccountKind.PLAYER, AccountKind.STACK, AccountKind.POT),
    }
    owed = figure == "liabilities"

    def inside(account: Account) -> bool:
        if account.kind not in which[figure]:
            return False
        return not (owed and account.kind == AccountKind.STACK and account.owner_id is None)

    entries = find_entries(what=figure, currency="FUN", **more)
    return sum(each.amount * (inside(each.credit) - inside(each.debit)) for each in entries)


@pytest.mark.parametrize("what", BALANCES)
def test_a_balance_leads_to_all_its_entries(what: str, period: Period) -> None:
    days = by_day(period, "FUN")
    assert max(getattr(totals, what) for totals in days.values()) > 0
    for day, totals in days.items():
        assert signed(what, until=day) == getattr(totals, what)


@pytest.mark.parametrize("group", GROUPS)
def test_the_lines_of_each_grouping_make_the_whole_and_lead_to_their_entries(group: str, period: Period) -> None:
    lines = by_place(period, "FUN", group)
    whole = list(by_day(period, "FUN").values())
    for figure in ("entries", "won", "prizes", "refunds", "fees", "bought_in", "cashed_out"):
        assert sum(getattr(line.totals, figure) for line in lines) == sum(getattr(day, figure) for day in whole) > 0
        for line in lines:
            entries = find_entries(currency="FUN", what=figure, place=line.reference)
            assert sum(each.amount for each in entries) == getattr(line.totals, figure)
    # Entries and prizes of a tournament move at no table: their line is its pot.
    assert {line.reference.partition(":")[0] for line in lines} == {group, "tournament"}


def test_adjustments_have_columns_of_their_own(period: Period) -> None:
    days = by_day(period, "FUN").values()
    assert (sum(day.adjusted_up for day in days), sum(day.adjusted_down for day in days)) == (5100, 0)


def test_the_pages_show_each_grouping_and_its_links(period: Period) -> None:
    client = Client()
    client.force_login(get_user_model().objects.create_superuser(username="root", password="a long one"))
    days = {"from": f"{period.first}", "to": f"{period.last}"}
    for group, shown in (("table", "Best of three"), ("stake", ">Without a stake<"), ("book", "Pool Rummy 101")):
        page = client.get(reverse("finance:fees"), {**days, "group": group})
        assert page.status_code == 200
        assert shown in page.content.decode()
    overview = client.get(reverse("finance:overview"), days).content.decode()
    assert "what=in_play" in overview
    assert "what=liabilities" in overview
    assert "Adjusted up" in overview
    place = f"table:{Table.objects.get(title='Pool').pk}"
    for line in by_place(period, "FUN", "stake"):
        page = client.get(reverse("finance:entries"), {"place": line.reference, "currency": "FUN"})
        assert page.context["come_to"][0] == line.totals.transfers
        assert " in all" not in page.content.decode(), "buy-ins, deals and payouts together say nothing"
    entries = client.get(reverse("finance:entries"), {"place": place, "what": "prizes"})
    assert {each.posting.reason for each in entries.context["entries"]} == {"prize"}
    assert client.get(reverse("finance:entries"), {"place": "moon:1"}).status_code == 200
