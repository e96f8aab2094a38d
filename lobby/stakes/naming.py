"""What stakes and rule books are called in reports: names that tell one stake of a book from another."""

from collections.abc import Collection

from lobby.stakes.models import Stake
from rules.books import BOOKS
from wallet.base import money


def price_in_words(stake: Stake) -> str:
    """Return what it is played for: `entry 500 chips`, `1 chip a point`."""
    if stake.entry:
        return f"entry {money.display(stake.entry, stake.currency)}"
    return f"{money.display(stake.point_value or 0, stake.currency)} a point"


def place_names(stakes: Collection[int], books: Collection[str]) -> tuple[dict[int, str], dict[str, str]]:
    """Return the names of the stakes and the titles of the books, by their ids and keys; what is unknown is left out.

    The wallet asks by the setting PLACE_NAMES: it knows neither stakes nor rules.
    """
    named = {
        stake.pk: f"{stake}, {stake.seats} seats, {price_in_words(stake)}"
        for stake in Stake.objects.filter(pk__in=stakes)
    }
    return named, {key: BOOKS[key].title for key in books if key in BOOKS}
