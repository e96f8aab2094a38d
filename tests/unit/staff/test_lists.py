"""Lists stay fast however long they are: a fixed number of queries, and no count over all rows."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.cache import cache
from django.core.exceptions import SuspiciousOperation
from django.db import connection
from django.template.response import SimpleTemplateResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.health.models import Heartbeat
from tables.models import Table
from tables.play import services as play
from wallet.backoffice import actions
from wallet.base.paging import BoundedPaginator, LongList

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
OURS = ("lobby", "tables", "trail", "wallet")


def queries(client: Client, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in captured.captured_queries]


def test_queries_do_not_grow_with_live_tables(
    clock: Any, player: Callable[[str], Any], table: Callable[..., Table], browser: Callable[[str], Client]
) -> None:
    staff, address = browser("operations"), reverse("admin:tables_table_changelist")
    play.sit(table_id=table().pk, user=player("asha"))
    queries(staff, reverse("admin:index"))
    few = queries(staff, address)
    for name in ("ravi", "tara", "meera", "kabir", "leela"):
        play.sit(table_id=table().pk, user=player(name))
    many = queries(staff, address)
    assert len(many) == len(few)
    assert not [sql for sql in many if '"snapshot"' in sql]


def test_nothing_is_counted_beyond_what_somebody_would_page_through(
    clock: Any, table: Callable[..., Table], browser: Callable[[str], Client]
) -> None:
    table()
    # Headers repeat for a while what waits for whoever looks.
    queries(browser("superuser"), reverse("admin:index"))
    for model, model_admin in admin.site._registry.items():
        if model._meta.app_label not in OURS or model._meta.model_name in ("stake", "group"):
            continue
        assert not model_admin.show_full_result_count, model
        assert model_admin.show_facets is admin.ShowFacets.NEVER, model
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        counts = [sql for sql in queries(browser("superuser"), address) if "COUNT(" in sql]
        assert counts, model
        assert all(re.search(r"LIMIT 10000\b", sql) for sql in counts), model


def test_the_paginator_stops_counting(table: Callable[..., Table], monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(4):
        table()
    monkeypatch.setattr(BoundedPaginator, "MOST", 3)
    assert BoundedPaginator(Table.objects.order_by("pk"), 2).count == 3


def lists() -> list[LongList]:
    """Return every list of the admin; only health is a page."""
    admins = [model_admin for model, model_admin in admin.site._registry.items() if model is not Heartbeat]
    for model_admin in admins:
        assert isinstance(model_admin, LongList), model_admin
    return [model_admin for model_admin in admins if isinstance(model_admin, LongList)]


def test_no_list_filters_by_an_unoffered_field(browser: Callable[[str], Client]) -> None:
    """Otherwise sealed values could be guessed letter by letter, and some lookups are too much for the database."""
    superuser = browser("superuser")
    for lookup in ("terms__contains=a", "snapshot__startswith=0", "fault__regex=(", "seatings__user__password__gt=a"):
        assert superuser.get(f"/admin/tables/table/?{lookup}").status_code == 400, lookup
    request = RequestFactory().get("/")
    for model_admin in lists():
        filters = set(model_admin._offered(request))
        for field in model_admin.model._meta.get_fields():
            allowed = [
                lookup for lookup in ("exact", "contains", "startswith", "regex", "year", "gte")
                if model_admin.lookup_allowed(f"{field.name}__{lookup}", "a", request)
            ]  # fmt: skip
            assert allowed == (["exact", "gte"] if field.name in filters else []), (model_admin, field.name)


def test_every_filter_answers_or_refuses_any_value(player: Callable[[str], Any]) -> None:
    asking = RequestFactory()
    staff = player("staff")
    staff.is_superuser = True
    for model_admin in lists():
        for name in model_admin._offered(asking.get("/")):
            for lookup in ("", "__exact", "__in", "__isnull", "__gte", "__isempty", "__id__exact"):
                for value in ("a", "1", "9" * 30, "\0", "2026-13-45"):
                    request = asking.get("/", {f"{name}{lookup}": value})
                    request.user = staff
                    with suppress(IncorrectLookupParameters, SuspiciousOperation):
                        list(model_admin.get_changelist_instance(request).result_list)  # type: ignore[call-overload]


#: What the address of a list, and that of a row, may ask for; and values that fit none of it.
OF_A_LIST, OF_A_ROW = ("p", "q", "o", "_to_field"), ("_to_field",)
UNFIT = ("", "abc", "9" * 20, "\0")
ONCE = ("e", "all", "_popup", "_facets", "_changelist_filters", "id__exact", "player__id__exact")


@pytest.mark.slow
def test_no_address_of_a_list_or_of_a_row_is_answered_with_a_500(
    samples: dict[str, Any], browser: Callable[[str], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The matrix renders them all.
    monkeypatch.setattr(SimpleTemplateResponse, "rendered_content", "")
    staff, answers = browser("superuser"), {}
    staff.raise_request_exception = False
    for model_admin in lists():
        address = reverse(f"admin:{model_admin.opts.app_label}_{model_admin.opts.model_name}_changelist")
        row = f"{address}{samples.get(model_admin.opts.label_lower, 1)}/change/"
        asked = [f"{address}?{urlencode({name: value})}" for name in OF_A_LIST for value in UNFIT]
        asked += [f"{row}?{urlencode({name: value})}" for name in OF_A_ROW for value in UNFIT]
        asked += [f"{address}?{name}=abc" for name in ONCE]
        asked += [f"{address}{quote(value)}/change/" for value in UNFIT if value]
        for each in asked:
            cache.clear()
            answers[each] = staff.get(each).status_code
    assert {200, 302, 400} <= set(answers.values())
    assert {each: status for each, status in answers.items() if status not in (200, 302, 400, 404)} == {}


@pytest.mark.parametrize("chosen", ["abc", "a\0b", "1.5", "-1", "9" * 20, ""])
def test_an_action_on_what_is_no_row_does_nothing(
    browser: Callable[[str], Client], player: Callable[[str], Any], chosen: str
) -> None:
    sent = {"action": "lock", "_selected_action": [player("asha").pk, chosen]}
    answer = browser("superuser").post("/admin/lobby/player/", sent, follow=True)
    assert answer.redirect_chain == [("/admin/lobby/player/", 302)]
    assert "Nothing was chosen." in answer.content.decode()


@pytest.mark.parametrize(("chosen", "warned"), [(2, False), (3, True)])
def test_an_action_on_more_than_it_takes_says_that_it_leaves_some_out(
    browser: Callable[[str], Client], player: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch,
    chosen: int, warned: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(actions, "MOST", 2)
    ids = [player(name).pk for name in ("asha", "ravi", "tara")]
    sent = {"action": "lock", "_selected_action": ids[:chosen]}
    answer = browser("superuser").post("/admin/lobby/player/", sent, follow=True)
    assert [entry["row"].pk for entry in answer.context["rows"]] == ids[:2]
    told = [str(message) for message in answer.context["messages"]]
    assert told == (["You have chosen more than 2. Here are the first 2 of them only."] if warned else [])


def test_the_filters_of_a_list_filter_it(browser: Callable[[str], Client]) -> None:
    superuser = browser("superuser")
    for address, part in (
        ("/admin/lobby/player/", "is_active__exact=1"),
        ("/admin/lobby/player/", "groups__id__exact=1"),
        ("/admin/audit_log/auditentry/", "at__gte=2026-01-01 00:00:00%2B00:00"),
        ("/admin/tables/table/", "condition=all&currency__exact=FUN&family__exact=points"),
    ):
        assert superuser.get(f"{address}?{part}").status_code == 200, part
