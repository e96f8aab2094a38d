"""Puzzles from deals of people who share theirs, made at night and never in a web process."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random
from time import monotonic
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from lobby.puzzles.making.making import SEARCHES, puzzles_of_deal
from lobby.puzzles.stock import add_puzzles
from rules.books import book
from tables.errors import TableError
from tables.history import selectors as history
from tables.log import reading
from tables.models import Deal, DealSeat

#: Of the deals that ended within so long, so many are looked at, until so many puzzles are made or time is over.
_WITHIN: Final = timedelta(days=1)
_MOST_DEALS: Final = 40
_MOST_PUZZLES: Final = 4
_MOST_SECONDS: Final = 600


def deals_to_ask_of(within: timedelta = _WITHIN) -> QuerySet[Deal]:
    """Return finished deals of open tables where every player who is a person shares theirs, the newest first.

    None whose shoe others may still play.
    """
    people = DealSeat.objects.filter(deal=OuterRef("pk"), user__isnull=False)
    ended = history.open_deals().filter(status=Deal.Status.OVER, ended_at__gt=timezone.now() - within)
    ended = history.shared_by_all(ended.filter(Exists(people)))
    return ended.filter(match__table__private_code="").select_related("match__table").order_by("-ended_at")


def make_from_people() -> int:
    """Make a few puzzles of shared deals; return how many. Nothing is stored of who played, where or when."""
    until, made = monotonic() + _MOST_SECONDS, 0
    for deal in deals_to_ask_of()[:_MOST_DEALS]:
        if made >= _MOST_PUZZLES or monotonic() > until:
            break
        made += sum(_made(deal))
    return made


def _made(deal: Deal) -> Iterator[int]:
    """Yield the number of puzzles stored, one search after the other, from one deal."""
    try:
        happened = [entry.event() for entry in reading.of_deal(deal)]
    except TableError:
        return
    rng = Random(f"deal {deal.pk}")  # noqa: S311  which decisions are looked at, no card
    for search in rng.sample(list(SEARCHES), len(SEARCHES)):
        found = puzzles_of_deal(book(deal.book, deal.book_version), happened, search, rng)
        if (candidate := next(found, None)) is not None:
            yield add_puzzles([candidate], from_people=True)
