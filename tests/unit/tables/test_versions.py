"""A book released in a new version during a deal: the deal ends by the version it began with."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from rules import books
from rules.game import state as states
from tables.history import proofs, replay
from tables.models import Deal, Match, Table
from tests.support.clock import Clock
from tests.support.steering import next_deal, to_move
from tests.support.tables import Client, seated_at

pytestmark = pytest.mark.django_db

OLD = books.BOOKS["standard-points"]
NEW = replace(OLD, version=2, first_drop=25)


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Return a function that releases the second version; afterwards there is none again."""

    def come_out() -> None:
        monkeypatch.setattr(books, "BOOKS", MappingProxyType({**books.BOOKS, NEW.key: NEW}))
        monkeypatch.setattr(books, "_VERSIONS", {**books._VERSIONS, (NEW.key, NEW.version): NEW})

    yield come_out
    states._book.cache_clear()


def test_a_running_deal_ends_by_the_version_it_was_dealt_by(
    duel: tuple[Client, Client], clock: Clock, newer: Callable[[], None], player: Callable[[str], Any]
) -> None:
    newer()
    assert books.book("standard-points").version == 2
    clients = list(duel)
    to_move(clients).send("drop")
    deal = Deal.objects.earliest("pk")
    assert (deal.book, deal.book_version) == ("standard-points", 1)
    assert sorted(row["points"] for row in clients[0].view()["result"]["rows"]) == [0, 20], "and not 25"
    assert replay.replay(deal, clients[0].user)["book_version"] == proofs.proof(deal)["book_version"] == 1
    for client in clients:
        client.send("continue")
    next_deal(clients, clock)
    to_move(clients).send("drop")
    assert set(Deal.objects.values_list("book_version", flat=True)) == {1}, "a table keeps its version"


def test_a_new_table_plays_by_the_new_version(
    clock: Clock, newer: Callable[[], None], table: Callable[..., Table]
) -> None:
    newer()
    place = table(book_version=books.book("standard-points").version)
    clients = seated_at(place, "asha", "ravi", amount=800)
    next_deal(clients, clock)
    to_move(clients).send("drop")
    assert sorted(row["points"] for row in clients[0].view()["result"]["rows"]) == [0, 25]
    assert {*Deal.objects.values_list("book_version", flat=True)} == {2}
    assert {*Match.objects.values_list("book_version", flat=True)} == {2}
