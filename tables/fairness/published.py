"""The figures as they are published: by page, file, API and command, all from the same answer."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypedDict

from rules.books import BOOKS
from rules.expectations import hands
from rules.expectations.figures import BEYOND, LEAST, Figure, Measure, all_figures
from rules.expectations.tallies import ALL_SEATS, DEALS, Holders, SumKey, Tally
from tables.fairness.deals import shared_deals
from tables.fairness.sums import by_key, summed_until, sums_by_day
from tables.history.kept import kept

FairnessVerdict = Literal["fits", "outside", "beyond chance", "too few", "no law"]


class FairnessFigure(TypedDict):
    book: Annotated[str | None, BOOKS, "Null: all books together."]
    holders: Annotated[str, (Holders.PEOPLE, Holders.COMPUTERS)]
    seat: Annotated[int | None, "Null: all their seats together."]
    measure: Annotated[str, Measure]
    count: Annotated[int, "Hands, tosses or deals that were counted."]
    observed: Annotated[float, "For each of them; of `every_card` the chi-squared statistic."]
    expected: Annotated[float | None, "The exact expectation, where there is a law."]
    low: Annotated[float | None, "The 95 % interval of what was observed begins here."]
    high: float | None
    p: Annotated[float | None, "Chance of a fair shuffle to be so far out, on both sides."]
    p_corrected: Annotated[float | None, "The same after Holm's correction over all figures."]
    verdict: FairnessVerdict


#: The columns of the file of figures, as in the API.
COLUMNS: Final = tuple(name for name in FairnessFigure.__annotations__ if name != "verdict")


class FairnessFigures(TypedDict):
    until: Annotated[datetime | None, "Matches that ended until then are counted."]
    deals: Annotated[dict[str, int], "Deals with a result, by book."]
    void: Annotated[int, "Void deals, of which nothing else is counted."]
    shared: Annotated[int, "Deals that can be downloaded: everybody in them has agreed."]
    tested: Annotated[int, "Figures with a p-value."]
    outside: Annotated[int, "Those with p below 0.05: by chance one in twenty."]
    beyond: Annotated[int, "Those whose corrected p is below `bar`."]
    least: Annotated[int, "With fewer hands, tosses or deals a figure has no p-value."]
    bar: float
    figures: list[FairnessFigure]


def published() -> FairnessFigures:
    """Return the figures of the stored sums; they are reckoned once for each night. Raises TooBusy."""
    until = summed_until()

    def make() -> bytes:
        answer = answer_of(by_key(sums_by_day())) | {"shared": 0 if until is None else shared_deals(until).count()}
        return json.dumps(answer).encode()

    answer: FairnessFigures = json.loads(kept(("fairness", until), make).content()) | {"until": until}
    return answer


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


def _as_json(figure: Figure) -> FairnessFigure:
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


def _verdict(figure: Figure) -> FairnessVerdict:
    if figure.expected is None:
        return "no law"
    if figure.chance is None:
        return "too few"
    return "beyond chance" if figure.beyond else "outside" if figure.outside else "fits"


class ExactLaw(TypedDict):
    packs: int
    measure: Annotated[str, Measure]
    exact: Annotated[str, "The mean of one hand as a fraction."]
    expected: float


def exact_laws() -> list[ExactLaw]:
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
