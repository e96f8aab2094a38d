"""The fairness proof of a deal, revealed once it has ended; `rules.fairness` recomputes it."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from rules.books import book
from rules.fairness import shown_of_shoe, verify
from rules.game import events
from tables.history.kept import kept
from tables.history.replay import finished_key
from tables.log import reading
from tables.log.sealing import SEEDS
from tables.models import Deal


def checked_proof(deal: Deal, account: int | None) -> tuple[dict[str, Any], bool]:
    """Return the proof of a finished deal and whether it is right: both are made only once. Raises TooBusy, TooMany.

    What must be made anew is counted to the account.
    """

    def make() -> bytes:
        reading.check_kept(deal.match.table)
        made = proof(deal)
        return json.dumps([made, not verify(made)]).encode()

    content, honest = json.loads(kept(("proof", *finished_key(deal)), make, account=account).content())
    return content, honest


def proof(deal: Deal, happened: Iterable[events.Event] | None = None) -> dict[str, Any]:
    """Return the inputs of `rules.fairness.verify` as JSON; `happened` are the deal's events, if the caller has them.

    `deal` stands for the deal in the construction: its id or, where its shoe was fixed beforehand, the label of that.
    ValueError before the deal has ended.
    """
    if deal.ended_at is None:
        raise ValueError("a deal's seed is not revealed before it has ended")
    return {
        "deal": deal.pk if deal.match.table.shoe is None else deal.match.table.shoe.label,
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
