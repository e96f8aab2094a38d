"""Lists stay fast however long they are: so many queries whatever the rows, and nothing counted over everything."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tables import services
from tables.models import Table
from wallet.trail.paging import BoundedPaginator

pytestmark = pytest.mark.django_db
OURS = ("lobby", "tables", "trail", "wallet")


def queries(client: Client, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in captured.captured_queries]


def test_the_list_of_live_tables_asks_as_often_for_many_as_for_one(
    clock: Any, player: Callable[[str], Any], table: Callable[..., Table], browser: Callable[[str], Client]
) -> None:
    staff, address = browser("operations"), reverse("admin:tables_table_changelist")
    services.sit(table_id=table().pk, user=player("asha"))
    few = queries(staff, address)
    for name in ("ravi", "tara", "meera", "kabir", "leela"):
        services.sit(table_id=table().pk, user=player(name))
    many = queries(staff, address)
    assert len(many) == len(few)
    assert not [sql for sql in many if '"snapshot"' in sql]


def test_nothing_is_counted_beyond_what_somebody_would_page_through(
    clock: Any, table: Callable[..., Table], browser: Callable[[str], Client]
) -> None:
    table()
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
