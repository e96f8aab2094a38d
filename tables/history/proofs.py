"""Proofs of a deal once it has ended, which `rules.fairness` recomputes, and of a shoe that was fixed beforehand once
its series has ended: PROTOCOL.md, The proof of a deal.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated, Any, TypedDict

from rules import shuffling
from rules.books import book
from rules.fairness import ShownOfShoe, shown_of_shoe, verify
from rules.game import events
from tables.history.kept import kept
from tables.history.replay import finished_key
from tables.log import reading
from tables.log.sealing import SEEDS, SHOES
from tables.models import Deal, Shoe


class DealProof(ShownOfShoe):
    """The inputs of `rules.fairness.verify`."""

    deal: Annotated[Any, "Its id or, where its shoe was fixed beforehand, the label of that."]
    book: str
    book_version: int
    status: str
    commitment: str
    seed: Annotated[str, "64 bytes as hex."]
    client_seeds: Annotated[list[str], "As hex, in the order of seats; empty of a seat that gave none."]
    order: Annotated[list[int], "The seats in the order of play."]


def checked_proof(deal: Deal, account: int | None) -> tuple[DealProof, bool]:
    """Return the proof of a finished deal and whether it is right: both are made only once. Raises TooBusy, TooMany.

    What must be made anew is counted to the account.
    """

    def make() -> bytes:
        reading.check_kept(deal.match.table)
        made = proof(deal)
        return json.dumps([made, not verify(made)]).encode()

    content, honest = json.loads(kept(("proof", *finished_key(deal)), make, account=account).content())
    return content, honest


def proof(deal: Deal, happened: Iterable[events.Event] | None = None) -> DealProof:
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


class ShoeProof(TypedDict):
    deal_id: str
    commitment: str
    seed: Annotated[str, "64 bytes as hex, that were fixed on the day before."]
    packs: int
    honest: bool
    shoe: list[str]
    toss: list[str]


def proof_of_shoe(shoe: Shoe, now: datetime) -> ShoeProof | None:
    """Return the label that stands for the deal, its promise, its seed, and the shoe and the toss that follow.

    None before the series has ended.
    """
    series = shoe.series
    if now < series.ends_at:
        return None
    seed, packs = SHOES.unseal(shoe), book(series.book, series.book_version).packs_for(series.seats)
    return {
        "deal_id": shoe.label,
        "commitment": shoe.commitment,
        "seed": seed.hex(),
        "packs": packs,
        "honest": shuffling.commitment(shoe.label, seed) == shoe.commitment,
        "shoe": list(shuffling.shoe(shoe.label, seed, (), packs)),
        "toss": list(shuffling.toss(shoe.label, seed, ())),
    }
