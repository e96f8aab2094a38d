"""Names of stakes and rule books for reports, different for each stake of a book."""

from collections.abc import Collection

from lobby.stakes.models import Stake
from rules.books import BOOKS
from wallet.base import money


def price_in_words(stake: Stake) -> str:
    """Return the price of the stake in words: `entry 500 chips`, `1 chip a point`."""
    if stake.entry:
        return f"entry {money.display(stake.entry, stake.currency)}"
    return f"{money.display(stake.point_value or 0, stake.currency)} a point"


def place_names(stakes: Collection[int], books: Collection[str]) -> tuple[dict[int, str], dict[str, str]]:
    """Return the names of the stakes by id and the titles of the books by key, without the unknown ones.

    The wallet, which imports neither stakes nor rules, calls this through the setting PLACE_NAMES.
    """
    stake_names = {
        stake.pk: f"{stake}, {stake.seats} seats, {price_in_words(stake)}"
        for stake in Stake.objects.filter(pk__in=stakes)
    }
    return stake_names, {key: BOOKS[key].title for key in books if key in BOOKS}
