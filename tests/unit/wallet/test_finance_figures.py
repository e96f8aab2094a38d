"""Every figure on a finance page leads to its entries, and they add up to it."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from tests.support.books import a_day_of_play
from tests.support.finance import sign_in, today
from wallet import adjustments
from wallet.audit_log.services import Actor
from wallet.base import money
from wallet.finance.entries import find_entries
from wallet.finance.months.kinds import by_kind
from wallet.finance.totals import by_place, fees_by_player
from wallet.models import ExportRecord, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon", "bare_heads")]
SLOW = pytest.mark.slow

#: A link to entries, and the figure that is its text.
LINK = re.compile(r'<a\s+href="(/finance/entries/\?[^"]*)"\s*>([−0-9,]+(?: chips?)?)</a>')
#: All the text of a cell or a figure that holds a number alone, linked or not.
NUMBERS = re.compile(r"<(?:td|strong)[^>]*>\s*(?:<a[^>]*>)?([−0-9,]+(?: chips?)?)(?:</a>)?\s*</(?:td|strong)>")


@pytest.fixture
def finance(django_user_model: Any) -> Client:
    a_day_of_play()
    client = sign_in(django_user_model, "fina", "view_finance")
    fina, asha = (django_user_model.objects.get(username=name) for name in ("fina", "asha"))
    for amount in (70, -50):
        adjustments.ask(
            request_id=f"{amount}",
            player=asha,
            currency="FUN",
            amount=amount,
            reason="A gift",
            actor=Actor("fina", fina),
        )
    return client


@pytest.mark.parametrize(
    ("page", "query", "figures"),
    [
        ("finance:overview", {}, 24),
        pytest.param(
            "finance:overview", {"from": f"{today().first}", "to": f"{today().last}"}, 24, marks=pytest.mark.slow
        ),
        ("finance:fees", {}, 20),
        pytest.param("finance:fees", {"group": "stake"}, 20, marks=SLOW),
        pytest.param("finance:fees", {"group": "book"}, 20, marks=SLOW),
        ("finance:accounts", {}, 20),
    ],
)
def test_every_figure_on_a_page_is_what_its_entries_come_to(
    page: str, query: dict[str, str], figures: int, finance: Client
) -> None:
    content = finance.get(reverse(page), query).content.decode()
    links = [(unescape(address), text) for address, text in LINK.findall(content)]
    assert len(links) >= figures
    for address, text in links:
        answer = finance.get(address)
        count, amount = answer.context["come_to"]
        assert _number(text) == (amount if re.search("what=|kind=", address) else count), address
        assert text.removesuffix(" chips") in answer.content.decode()
    unlinked = [text for text in NUMBERS.findall(content) if text not in {known for _, known in links}]
    # Of how many deals and pots they bear the fees beside it, and what computers bear: players alone have entries.
    players = fees_by_player(today(), "FUN")
    deals = {f"{each.times}" for each in players} | {f"{each.fees}" for each in players if each.player is None}
    sums: set[str] = set()
    at_tables = f"{sum(line.totals.transfers for line in by_place(today(), 'FUN'))}"
    if page == "finance:accounts":
        # What is held is made of everything before; all kinds together hold nothing.
        balances = [
            (line.opening, line.closing) for line in by_kind(finance.get(reverse(page)).context["period"], "FUN")
        ]
        sums |= {money.figure(amount, "FUN") for both in balances for amount in both}
        whole = finance.get(reverse(page)).context["whole"]
        assert (whole.opening, whole.closing, whole.credits) == (0, 0, whole.debits)
        sums.add(money.figure(whole.credits, "FUN"))
    assert set(unlinked) <= {"0", *deals, *sums, at_tables}


def test_a_player_leads_to_what_moved_on_their_accounts_alone(finance: Client, django_user_model: Any) -> None:
    asha = django_user_model.objects.get(username="asha")
    entries = find_entries(player=asha.pk)
    own = [each for each in Transfer.objects.order_by("-pk") if asha.pk in (each.debit.owner_id, each.credit.owner_id)]
    assert list(entries) == own != []
    page = finance.get(reverse("finance:entries"), {"player": f"{asha.pk}"}).content.decode()
    assert "What moved on the accounts of <strong>asha</strong>" in page
    assert list(find_entries(player=asha.pk + 10_000)) == []


def test_a_player_or_a_transfer_that_cannot_be_is_said_to_be_none(finance: Client) -> None:
    for wrongly in ({"player": "0"}, {"player": "x"}, {"as_of": "-1"}, {"as_of": "9" * 20}):
        assert "form-error" in finance.get(reverse("finance:entries"), wrongly).content.decode(), wrongly
        assert finance.get(reverse("api-finance-ledger"), wrongly).status_code == 400, wrongly


def test_the_whole_ledger_is_not_added_up_for_whoever_looks_at_it(finance: Client) -> None:
    for query in ({}, {"currency": "FUN"}, {"reference": "match:1"}, {"what": "fees"}):
        assert finance.get(reverse("finance:entries"), query).context["come_to"] is None


def test_an_export_leads_to_its_rows_and_can_be_repeated(finance: Client) -> None:
    day = today()
    period = {"from": f"{day.first - timedelta(days=1)}", "to": f"{day.last}"}
    first = finance.post(reverse("finance:export_file"), {**period, "format": "csv"})
    asha = get_user_model().objects.get(username="asha")
    adjustments.ask(
        request_id="later", player=asha, currency="FUN", amount=5, reason="A gift",
        actor=Actor("fina", first.wsgi_request.user),
    )  # fmt: skip
    page = finance.get(reverse("finance:exports")).content.decode()
    record = ExportRecord.objects.get()
    ((rows, text),) = LINK.findall(page)
    assert _number(text) == record.rows
    entries = finance.get(unescape(rows) + "&currency=FUN")
    assert entries.context["come_to"][0] == record.rows
    form = page[: page.index("The same file</button>")].rpartition("<form")[2]
    again = finance.post(reverse("finance:export_file"), dict(re.findall(r'name="(\w+)"\s+value="([^"]*)"', form)))
    assert again["X-Content-SHA256"] == first["X-Content-SHA256"] == record.digest
    now = finance.post(reverse("finance:export_file"), {**period, "format": "csv"})
    assert now["X-Content-SHA256"] != record.digest


def _number(text: str) -> int:
    return int(text.removesuffix(" chips").removesuffix(" chip").replace(",", "").replace("−", "-"))
