"""Pages over the books stay fast at a million rows: a fixed number of queries, each by an index."""

import re
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.support.books import a_day_of_play, seat
from wallet.backoffice.read_only import BookAdmin
from wallet.models import Account, Posting, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

BOOKS = ("wallet_account", "wallet_posting", "wallet_transfer")
SQLITE = connection.vendor == "sqlite"


@pytest.fixture
def root(db: None, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(BookAdmin, "list_per_page", 2)
    a_day_of_play()
    client = Client()
    client.force_login(get_user_model().objects.create_superuser(username="root", password="a long pass phrase"))
    return client


def queries_of(client: Client, address: str, query: dict[str, Any]) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address, query).status_code == 200
    return [each["sql"] for each in captured.captured_queries if each["sql"].startswith("SELECT")]


def plan(sql: str) -> str:
    """Return the query plan. PostgreSQL may not fall back on reading whole tables because they are small."""
    with connection.cursor() as cursor:
        if SQLITE:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            return "\n".join(row[3] for row in cursor.fetchall())
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute(f"EXPLAIN {sql}")
        return "\n".join(row[0] for row in cursor.fetchall())


def reads_whole(sql: str) -> bool:
    """Return whether the query reads a table of the books from end to end, or sorts it.

    Reading newest first, in the order of ids and up to a limit, is neither: only what is shown is read.
    """
    steps = plan(sql)
    if SQLITE:
        scans = re.findall(r"SCAN (wallet_\w+)", steps)
        in_order = "LIMIT" in sql and "TEMP B-TREE" not in steps
        return bool(scans) and not in_order
    return bool(re.search(r"Seq Scan on wallet_(account|posting|transfer)\b", steps)) or (
        "LIMIT" in sql and "Sort  (" in steps
    )


LISTS = {
    "accounts": ("admin:wallet_account_changelist", {}),
    "accounts of one owner": ("admin:wallet_account_changelist", {"q": "asha"}),
    "an account by its reference": ("admin:wallet_account_changelist", {"q": "seating:1"}),
    "postings": ("admin:wallet_posting_changelist", {}),
    "a posting by its key": ("admin:wallet_posting_changelist", {"q": "deal:1:settle"}),
    "transfers": ("admin:wallet_transfer_changelist", {}),
    "transfers by their key": ("admin:wallet_transfer_changelist", {"q": "deal:1:settle"}),
    "entries of finance": ("finance:entries", {}),
    "statement of a seating": ("finance:entries", {"reference": "seating:1"}),
    "one's own statement": ("wallet:statement", {}),
}


def test_lists_are_read_by_an_index_and_ask_as_often_for_many_rows_as_for_few(root: Client) -> None:
    few = {}
    for name, (place, query) in LISTS.items():
        queries_of(root, reverse(place), query)
        queries = queries_of(root, reverse(place), query)
        few[name] = len(queries)
        read = [sql for sql in queries if any(f'FROM "{table}"' in sql for table in BOOKS)]
        assert read or name == "one's own statement"
        assert not [(name, sql, plan(sql)) for sql in read if reads_whole(sql)]
    for seating in range(100, 130):
        seat(seating, None, 100)
    many = {name: len(queries_of(root, reverse(place), query)) for name, (place, query) in LISTS.items()}
    assert [name for name in LISTS if not many[name] <= few[name] <= 20] == []


def test_a_posting_of_many_lines_is_shown_by_a_bounded_number_of_queries(root: Client) -> None:
    one, many = (Posting.objects.get(key=key).pk for key in ("seating:1:out", "match:1:prize"))
    address = "admin:wallet_posting_change"
    queries_of(root, reverse(address, args=[one]), {})
    few, lots = (len(queries_of(root, reverse(address, args=[pk]), {})) for pk in (one, many))
    assert few == lots


def test_pages_go_on_from_the_last_row_and_skip_nothing(root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wallet.base.api.NewestFirst.page_size", 5)
    ids: list[int] = []
    address: str | None = reverse("finance:entries")
    while address:
        with CaptureQueriesContext(connection) as captured:
            page = root.get(address)
        assert not any("OFFSET" in each["sql"] and "wallet_transfer" in each["sql"] for each in captured)
        ids += [entry.pk for entry in page.context["entries"]]
        address = page.context["older"]
    assert ids == list(Transfer.objects.order_by("-pk").values_list("pk", flat=True))
    assert Account.objects.exists()
