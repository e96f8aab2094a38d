"""The lobby's periodic tasks."""

from datetime import timedelta

import pytest
from django.utils import timezone

from lobby.tasks import forget_sessions, keep_tables_open
from tables.models import Table
from tests.support.stakes import StakeFactory
from wallet.keys.models import StoredSession
from wallet.keys.session_store import SessionStore

pytestmark = pytest.mark.django_db


def test_expired_sessions_are_deleted() -> None:
    for name in ("old", "new"):
        store = SessionStore()
        store["name"] = name
        store.save()
    old = StoredSession.objects.order_by("pk")[0]
    StoredSession.objects.filter(pk=old.pk).update(expire_date=timezone.now() - timedelta(seconds=1))
    forget_sessions()
    assert StoredSession.objects.count() == 1
    assert not StoredSession.objects.filter(pk=old.pk).exists()


def test_a_suspended_book_keeps_no_other_stake_without_a_table() -> None:
    first, second = StakeFactory(), StakeFactory(book="classic-points")
    keep_tables_open()
    Table.objects.filter(stake_id=first.pk).update(status=Table.Status.FROZEN, fault="a fault")
    for _ in range(2):
        keep_tables_open()
        Table.objects.filter(stake_id=first.pk).update(status=Table.Status.FROZEN, fault="a fault")
    Table.objects.filter(stake_id=second.pk).update(status=Table.Status.CLOSED)
    keep_tables_open()
    assert not Table.objects.filter(stake_id=first.pk, status=Table.Status.OPEN).exists()
    assert Table.objects.filter(stake_id=second.pk, status=Table.Status.OPEN).exists()
