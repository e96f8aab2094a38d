"""The figures as they are published: by page, file, API and command, all from the same answer."""

import json
from collections.abc import Mapping
from typing import Any, Final

from rules.books import BOOKS
from rules.expectations import hands
from rules.expectations.figures import BEYOND, LEAST, Figure, Measure, all_figures
from rules.expectations.tallies import ALL_SEATS, DEALS, Holders, SumKey, Tally
from tables.fairness.deals import shared_deals
from tables.fairness.sums import by_key, summed_until, sums_by_day
from tables.history.kept import kept

#: The columns of the file of figures, as in the API.
COLUMNS: Final = (
    "book", "holders", "seat", "measure", "count", "observed", "expected", "low", "high", "p", "p_corrected",
)  # fmt: skip


def published() -> dict[str, Any]:
    """Return the figures of the stored sums; they are reckoned once for each night. Raises TooBusy."""
    until = summed_until()

    def make() -> bytes:
        answer = answer_of(by_key(sums_by_day())) | {"shared": 0 if until is None else shared_deals(until).count()}
        return json.dumps({"until": None if until is None else until.isoformat(), **answer}).encode()

    return dict(json.loads(kept(("fairness", until), make).content()))


def answer_of(sums: Mapping[SumKey, Tally]) -> dict[str, Any]:
    """Return the figures of these sums as JSON, and how many there are."""
    found = all_figures(sums)
    tested = [figure for figure in found if figure.chance is not None]
    return {
        "deals": deals_of_books(sums),
        "void": sum(tally[DEALS] for key, tally in sums.items() if key.holders is Holders.VOID),
        "tested": len(tested),
        "outside": sum(figure.outside for figure in tested),
        "beyond": sum(figure.beyond for figure in tested),
        "least": LEAST,
        "bar": BEYOND,
        "figures": [_as_json(figure) for figure in found],
    }


def deals_of_books(sums: Mapping[SumKey, Tally]) -> dict[str, int]:
    """Return the number of deals by book: each has all hands of its people, or all of its computer players alone."""
    deals = dict.fromkeys(BOOKS, 0)
    for key, tally in sums.items():
        if key.seat == ALL_SEATS and key.book in deals and _counts_deal(key):
            deals[key.book] += tally[DEALS]
    return {book: count for book, count in deals.items() if count}


def _counts_deal(key: SumKey) -> bool:
    return key.holders is Holders.PEOPLE or (key.holders is Holders.COMPUTERS and key.hands == key.players)


def _as_json(figure: Figure) -> dict[str, Any]:
    exact = figure.expected
    return {
        "book": figure.book or None,
        "holders": figure.holders.value,
        "seat": None if figure.seat == ALL_SEATS else figure.seat,
        "measure": figure.measure.value,
        "count": figure.count,
        "observed": figure.observed,
        "expected": None if exact is None else float(exact),
        "low": figure.low,
        "high": figure.high,
        "p": figure.chance,
        "p_corrected": figure.corrected,
        "verdict": _verdict(figure),
    }


def _verdict(figure: Figure) -> str:
    if figure.expected is None:
        return "no law"
    if figure.chance is None:
        return "too few"
    return "beyond chance" if figure.beyond else "outside" if figure.outside else "fits"


def exact_laws() -> list[dict[str, Any]]:
    """Return the exact expectations of one hand, by the number of packs: as fractions and as numbers."""
    return [
        {"packs": packs, "measure": measure.value, "exact": str(law), "expected": float(law)}
        for packs in sorted({packs for book in BOOKS.values() for _, packs in book.packs})
        for measure, law in one_hand(packs).items()
    ]


def one_hand(packs: int) -> dict[Measure, Any]:
    """Return the exact mean of one hand by measure."""
    return {
        Measure.PRINTED: hands.law_of(hands.printed_jokers(packs)).mean,
        Measure.WILD: hands.law_of(hands.wild_cards(packs)).mean,
        Measure.POINTS: hands.points_as_dealt(packs).mean,
        Measure.PURE: hands.pure_sequences(packs).mean,
    }
