"""A locked table shows only current data, whatever it was when the lock was requested."""

import threading
import time
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from tables.models import Table
from tables.play import records, store

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]


@pytest.mark.parametrize("waits", ["for the first deal", "for the next deal"])
def test_a_waiter_for_the_lock_sees_the_deal_prepared_meanwhile(table: Callable[..., Table], waits: str) -> None:
    place = table()
    if waits == "for the next deal":
        _prepare(place.pk, lambda: None)
    asking, deals = threading.Event(), []

    def wait_for_the_lock() -> None:
        try:
            asking.set()
            with transaction.atomic():
                table = store.lock_table(place.pk)
                deals.append((table.row.deal_id, table.row.deal and table.row.deal.pk))
        finally:
            connection.close()

    other = threading.Thread(target=wait_for_the_lock)

    def let_the_other_wait() -> None:
        other.start()
        asking.wait(10)
        time.sleep(0.3)

    prepared = _prepare(place.pk, let_the_other_wait)
    other.join(20)
    assert deals == [(prepared, prepared)]


def _prepare(table_id: int, before_the_end: Callable[[], None]) -> int:
    with transaction.atomic():
        table = store.lock_table(table_id)
        records.prepare_deal(table)
        table.row.save()
        before_the_end()
        assert table.row.deal_id is not None
        return table.row.deal_id
