"""Names of tables, stakes and books, which the wallet itself knows only by number or key."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.conf import settings
from django.utils.module_loading import import_string

from wallet.finance.places import PlaceTotals


@dataclass(frozen=True, slots=True)
class PlaceNames:
    """The names of stakes by id, and the titles of rule books by key."""

    stakes: dict[int, str]
    books: dict[str, str]

    def stake(self, stake: int | None) -> str:
        """Return the name of the stake; `Practice` without one."""
        return self.stakes.get(stake, f"Stake no. {stake}") if stake else "Practice"

    def book(self, key: str) -> str:
        return self.books.get(key, key)


def place_names_of(stakes: Collection[int], books: Collection[str]) -> PlaceNames:
    """Return their names from the function in PLACE_NAMES, as `str`: workbooks cannot write lazy translations."""
    stake_names, book_titles = import_string(settings.PLACE_NAMES)(stakes, books)
    return PlaceNames(
        {stake: str(name) for stake, name in stake_names.items()},
        {key: str(title) for key, title in book_titles.items()},
    )


def names_for(lines: Iterable[PlaceTotals]) -> PlaceNames:
    """Return the names of the stakes and books in the lines."""
    places = [line.place for line in lines if line.place]
    return place_names_of({place.stake_id for place in places if place.stake_id}, {place.book for place in places})


def line_name(line: PlaceTotals, names: PlaceNames, group: str) -> str:
    """Return the name of the line of a table, stake or book."""
    if line.place is None:
        kind, _, number = line.reference.partition(":")
        return f"{kind.capitalize()} {number}, at an unknown table"
    if group == "table":
        return line.place.title
    return names.stake(line.place.stake_id) if group == "stake" else names.book(line.place.book)


def place_in_words(place: str) -> str:
    """Return `table:7`, `stake:3`, `book:standard-points`, `match:5` or `seating:9` in words."""
    kind, _, key = place.partition(":")
    if kind == "stake":
        return place_names_of([int(key)], []).stake(int(key))
    return place_names_of([], [key]).book(key) if kind == "book" else f"{kind} {key}"
