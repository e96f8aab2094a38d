"""A player's own figures: the totals of their scored deals, from the rows of results and from the books.

Nothing here reads events, so deals whose moves are no longer kept count like any other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Exists, OuterRef, QuerySet, Sum

from rules.books import BOOKS, RuleBook, book as rule_book
from rules.declaration import fault, plain_and_jokers
from rules.game import Outcome
from rules.melds import Kind
from tables.models import DealSeat
from wallet.base import report_zone
from wallet.language import gettext as _
from wallet.ledger import selectors as ledger
from wallet.ledger.sums import Quarter, day_of

#: Points when caught are counted in tens; the last ten has all higher points as well.
TENS = 9


@dataclass(slots=True, kw_only=True)
class BookFigures:
    """The deals by one rule book, or by all of them; `amount` is in the smallest unit of the currency.

    `counts` has the number of deals by outcome. `shows` is the number of deals won by a valid show; the others were won
    because nobody else was left. `caught` is the sum of points in deals lost to a show. `amount` is None for matches
    with practice chips, since nobody owns these.
    """

    title: str
    counts: dict[str, int] = field(default_factory=dict)
    shows: int = 0
    caught: int = 0
    amount: int | None = 0

    @property
    def deals(self) -> int:
        return sum(self.counts.values())

    @property
    def won(self) -> int:
        return self.counts.get(Outcome.WON, 0)

    @property
    def lost(self) -> int:
        return self.counts.get(Outcome.LOST, 0)

    @property
    def dropped(self) -> int:
        return self.counts.get(Outcome.DROPPED, 0)

    @property
    def wrong(self) -> int:
        return self.counts.get(Outcome.WRONG, 0)

    @property
    def left(self) -> int:
        return self.counts.get(Outcome.LEFT, 0)

    @property
    def won_percent(self) -> int:
        return round(100 * self.won / self.deals) if self.deals else 0

    @property
    def dropped_percent(self) -> int:
        return round(100 * self.dropped / self.deals) if self.deals else 0

    @property
    def points_when_caught(self) -> float | None:
        """Return the average points of a deal lost to a show, None if there is no such deal."""
        return self.caught / self.lost if self.lost else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerFigures:
    """A player's figures: by book, most deals first; counts of deals by tens of points caught; each day's result."""

    total: BookFigures
    books: list[BookFigures]
    caught: list[int]
    days: list[tuple[date, int]]


def figures_of(
    user: AbstractBaseUser, *, currency: str, practice: bool, since: datetime | None = None
) -> PlayerFigures:
    """Return the figures of the user's deals in these chips that ended at `since` or later. Makes six queries."""
    own = DealSeat.objects.filter(user_id=user.pk, seating__table__currency=currency).exclude(outcome="")
    own = own.exclude(seating__table__strength="") if practice else own.filter(seating__table__strength="")
    if since is not None:
        own = own.filter(deal__ended_at__gte=since)
    books, caught = _books(own)
    results = {} if practice else ledger.pot_days(user, currency, since)
    # What was paid for matches of which no deal counts here is in no figure, nor in those of the days.
    pots = {at: amount for at, amount in results.items() if at[0] in books}
    for (key, _day), amount in pots.items():
        books[key].amount = (books[key].amount or 0) + amount
    if practice:
        for key, book in books.items():
            if not BOOKS[key].per_point:
                book.amount = None
    return PlayerFigures(
        total=_together(books.values()),
        books=sorted(books.values(), key=lambda book: -book.deals),
        caught=caught,
        days=_days(own, ((day, amount) for (_key, day), amount in pots.items())),
    )


def _books(own: QuerySet[DealSeat]) -> tuple[dict[str, BookFigures], list[int]]:
    """Return the figures by the key of the book, and the counts of deals by tens of points caught."""
    books: dict[str, BookFigures] = {}
    tens = [0] * TENS
    rows = own.values_list("seating__table__book", "outcome", "points").annotate(Count("pk"), Sum("amount"))
    for key, outcome, points, deals, amount in rows.order_by():
        book = books.setdefault(key, BookFigures(title=BOOKS[key].title))
        book.counts[outcome] = book.counts.get(outcome, 0) + deals
        book.amount = (book.amount or 0) + amount
        if outcome == Outcome.LOST:
            book.caught += points * deals
            tens[min(points // 10, TENS - 1)] += deals
    for (key,), shows in count_shows(own, "seating__table__book").items():
        books[key].shows = shows
    return books, tens


def count_shows(parts: QuerySet[DealSeat], *columns: str) -> Counter[tuple[Any, ...]]:
    """Count those of the parts in deals that won by a valid show, by these columns.

    The outcome "lost" exists only in deals that ended with a show. Where all others have left or dropped, it was one if
    the winner's hand lies complete: who holds such a hand has not gone on playing.
    """
    others = DealSeat.objects.filter(deal_id=OuterRef("deal_id"))
    caught, gone = (Exists(others.filter(outcome=outcome)) for outcome in (Outcome.LOST, Outcome.LEFT))
    won = parts.filter(outcome=Outcome.WON).order_by()
    shows = Counter[tuple[Any, ...]]()
    for *group, count in won.filter(caught).values_list(*columns).annotate(Count("pk")):
        shows[tuple(group)] += count
    told = (*columns, "deal__book", "deal__book_version", "deal__result", "seat")
    for *group, key, version, result, seat in won.filter(~caught, gone).values_list(*told).iterator(chunk_size=500):
        line = next(line for line in result if line["seat"] == seat)
        shows[tuple(group)] += _lies_complete(rule_book(key, version), line)
    return +shows


def _lies_complete(rules: RuleBook, line: Mapping[str, Any]) -> bool:
    melds = [(Kind(kind), len(group)) for kind, group in zip(line["kinds"], line["groups"], strict=True)]
    return fault(rules, melds, *plain_and_jokers(line["loose"], wild=0)) is None


def _together(books: Iterable[BookFigures]) -> BookFigures:
    total = BookFigures(title=_("All games"))
    for book in books:
        for outcome, deals in book.counts.items():
            total.counts[outcome] = total.counts.get(outcome, 0) + deals
        total.shows += book.shows
        total.caught += book.caught
        total.amount = (total.amount or 0) + (book.amount or 0)
    return total


def _days(own: QuerySet[DealSeat], pots: Iterable[tuple[date, int]]) -> list[tuple[date, int]]:
    days: dict[date, int] = {}
    place = report_zone.zone()
    rows = own.annotate(quarter=Quarter("deal__ended_at")).values_list("quarter").annotate(Sum("amount")).order_by()
    for day, amount in [*((day_of(quarter, place), amount) for quarter, amount in rows), *pots]:
        days[day] = days.get(day, 0) + amount
    return sorted(days.items())
