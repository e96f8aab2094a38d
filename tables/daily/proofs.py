"""The proof of a shoe that was fixed beforehand, once its series has ended: PROTOCOL.md, The proof of a deal."""

from datetime import datetime
from typing import Any

from rules import shuffling
from rules.books import book
from tables.log.sealing import SHOES
from tables.models import Shoe


def proof_of_shoe(shoe: Shoe, now: datetime) -> dict[str, Any] | None:
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
