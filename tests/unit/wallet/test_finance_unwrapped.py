"""The finance pages as a server answers them: outside any transaction, where a snapshot is one of its own."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.support.books import a_day_of_play
from tests.support.finance import API, PAGES
from tests.support.players import signed_up
from wallet.ledger.snapshots import snapshot
from wallet.models import Transfer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]


def test_every_page_and_call_of_finance_answers(client: Client) -> None:
    """Each reads the books in a snapshot; tests that run inside a transaction would not see two of them collide."""
    a_day_of_play()
    client.force_login(signed_up("fina", is_staff=True, is_superuser=True))
    addresses = [reverse(name) for name in (*PAGES, *API)]
    assert {address: client.get(address).status_code for address in addresses} == dict.fromkeys(addresses, 200)


def test_a_snapshot_joins_one_that_is_open_and_ends_with_it() -> None:
    signed_up()
    with snapshot():
        before = Transfer.objects.count()
        with snapshot():
            assert Transfer.objects.count() == before
        assert Transfer.objects.count() == before
    signed_up()
    with snapshot():
        assert Transfer.objects.count() == before + 1
