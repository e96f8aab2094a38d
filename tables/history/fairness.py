"""The fairness proof of a deal, revealed once it has ended; `rules.fairness` recomputes it."""

from collections.abc import Iterable, Iterator
from typing import Any

from rules.books import book
from rules.fairness import shown_of_shoe
from rules.game import events
from tables.log import reading
from tables.log.sealing import SEEDS
from tables.models import Deal


def proof(deal: Deal, happened: Iterable[events.Event] | None = None) -> dict[str, Any]:
    """Return the inputs of `rules.fairness.verify` as JSON; `happened` are the deal's events, if the caller has them.

    ValueError before the deal has ended.
    """
    if deal.ended_at is None:
        raise ValueError("a deal's seed is not revealed before it has ended")
    return {
        "deal": deal.pk,
        "book": deal.book,
        "book_version": deal.book_version,
        "status": deal.status,
        "commitment": deal.commitment,
        "seed": SEEDS.unseal(deal).hex(),
        "client_seeds": deal.client_seeds,
        "order": deal.order,
        **shown_of_shoe(book(deal.book, deal.book_version), _read(deal) if happened is None else happened),
    }


def _read(deal: Deal) -> Iterator[events.Event]:
    for entry in reading.of_deal(deal):
        yield entry.event()
