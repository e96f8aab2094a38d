"""Fairness as page, files and API: what deals should have, and have."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rules.books import BOOKS
from rules.expectations.figures import Measure
from rules.expectations.significance import SIDES_95
from rules.expectations.tallies import Holders
from tables.fairness.deals import PART, part_of_deals
from tables.fairness.published import COLUMNS, ExactLaw, FairnessFigures, exact_laws, published
from tables.fairness.sums import summed_until
from tables.history.kept import as_response
from wallet.base.api import filled_in, responses
from wallet.finance.own_data import FILE_FORMATS, takeout
from wallet.language import gettext as _, gettext_lazy

#: A larger number is no part of anything.
_MOST_PARTS: Final = 10**6
TITLES: Final[Mapping[str, str]] = {
    Measure.PRINTED: gettext_lazy("Printed jokers in a first hand"),
    Measure.WILD: gettext_lazy("Wild cards in a first hand"),
    Measure.POINTS: gettext_lazy("Points in a first hand, as dealt"),
    Measure.PURE: gettext_lazy("First hands with a pure sequence"),
    Measure.CARDS: gettext_lazy("Every card as often as any other"),
    Measure.TOSS: gettext_lazy("Won the toss"),
    Measure.EQUAL_WINS: gettext_lazy("Deals won among equal players"),
    Measure.FIRST_WINS: gettext_lazy("Deals won with the first turn"),
}
HOLDERS: Final[Mapping[str, str]] = {
    Holders.PEOPLE: gettext_lazy("People"),
    Holders.COMPUTERS: gettext_lazy("Computer players"),
}
VERDICTS: Final[Mapping[str, str]] = {
    "fits": gettext_lazy("fits"),
    "outside": gettext_lazy("outside 95 %"),
    "beyond chance": gettext_lazy("beyond chance"),
    "too few": gettext_lazy("too few yet"),
    "no law": gettext_lazy("no exact law"),
}
#: Biases of one per cent, and after how many deals of two people a figure was beyond chance; None: not in so many as
#: FLEET_MOST. The medians of `python -m tests.fleet planted_bias --seed 1 --size 3`.
FLEET_MOST: Final = 100_000
FOUND_AFTER: Final[Sequence[tuple[str, int | None]]] = (
    (gettext_lazy("A number of the shuffle is always the same"), 1_421),
    (gettext_lazy("A printed joker is moved into the hand of one seat"), 32_904),
    (gettext_lazy("A swap of the shuffle is left out"), 77_580),
    (gettext_lazy("One seat gets the better of two hands"), None),
    (gettext_lazy("One seat is given the toss"), None),
    (gettext_lazy("The shuffle ends one swap early"), None),
)
#: Digits after the point; None: a share, in percent.
_DIGITS: Final[Mapping[str, int | None]] = {Measure.PRINTED: 3, Measure.WILD: 3, Measure.POINTS: 2, Measure.CARDS: 1}
#: The picture: so many standard deviations on either side of the expectation, in a box of 120 by 16.
WIDTH, HEIGHT, _REACH = 120, 16, 5.0


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show the figures of the book that the query names, or of all books together."""
    answer = published()
    book = request.GET.get("book", "")
    book = book if book in answer["deals"] else ""
    context: dict[str, Any] = {
        "answer": answer,
        "until": answer["until"],
        "book": book,
        "books": [(key, BOOKS[key].title) for key in answer["deals"]],
        "deals": sum(count for key, count in answer["deals"].items() if book in ("", key)),
        "all_deals": sum(answer["deals"].values()),
        "by_chance": round(answer["tested"] / 20),
        "groups": holders_shown([each for each in answer["figures"] if each["book"] == (book or None)]),
        "parts": range(1, -(-answer["shared"] // PART) + 1),
        "found_after": FOUND_AFTER,
        "most": FLEET_MOST,
        "laws": laws_shown(exact_laws()),
    }
    return render(request, "tables/fairness.html", context)


@require_safe
def figures_file(request: HttpRequest) -> HttpResponseBase:
    """Return all figures as a file; with a wrong query redirect to the page."""
    query = FairnessFileQuery(data=filled_in(request.GET))
    if not query.is_valid():
        messages.error(request, _("Such a format cannot be downloaded."))
        return redirect("tables:fairness")
    rows = [[_cell(figure[name]) for name in COLUMNS] for figure in map(dict[str, Any], published()["figures"])]
    return takeout(name="fairness", format=query.validated_data["format"], columns=COLUMNS, rows=rows)


@require_safe
def deals_file(request: HttpRequest, part: int) -> HttpResponse:
    """Return a part of the deals that may be shared, in notation, one behind the other."""
    until = summed_until()
    answer = part_of_deals(part, until) if until is not None and 0 < part <= _MOST_PARTS else None
    if answer is None:
        raise Http404
    response = as_response(request, answer, "text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="deals-{part}.rdn"'
    return response


class FairnessFileQuery(serializers.Serializer[Any]):
    format = serializers.ChoiceField(choices=FILE_FORMATS, default="csv")


class FairnessAnswer(FairnessFigures):
    laws: list[ExactLaw]


class Fairness(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="fairness", responses=responses(FairnessAnswer))
    def get(self, request: Request) -> Response:
        """Return what finished deals gave beside what a fair shuffle gives, as of the last night."""
        return Response(FairnessAnswer(**published(), laws=exact_laws()))


def _cell(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value


def holders_shown(figures: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return, for people and for computer players, the rows of all their seats together, and of each seat."""
    found = list(figures)
    groups = []
    for holders, title in HOLDERS.items():
        own = [figure for figure in found if figure["holders"] == holders]
        if own:
            whole = [_shown(figure, str(TITLES[figure["measure"]])) for figure in own if figure["seat"] is None]
            groups.append({"holders": holders, "title": title, "rows": whole, "by_seat": _by_seat(own)})
    return groups


def _by_seat(figures: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    tables = []
    for measure, title in TITLES.items():
        rows = [
            _shown(figure, _("Seat {number}", number=figure["seat"] + 1))
            for figure in figures
            if figure["measure"] == measure and figure["seat"] is not None
        ]
        if rows:
            tables.append({"measure": measure, "title": title, "rows": rows})
    return tables


def _shown(figure: Mapping[str, Any], title: str) -> dict[str, Any]:
    measure = figure["measure"]
    return {
        "title": title,
        "count": figure["count"],
        "observed": _number(measure, figure["observed"]),
        "expected": "" if figure["expected"] is None else _number(measure, figure["expected"]),
        "range": ""
        if figure["low"] is None
        else f"{_number(measure, figure['low'])} – {_number(measure, figure['high'])}",
        "p": "" if figure["p"] is None else _chance(figure["p"]),
        "verdict": figure["verdict"],
        "words": VERDICTS[figure["verdict"]],
        "bar": _bar(figure),
    }


def _number(measure: str, value: float) -> str:
    digits = _DIGITS.get(measure)
    return f"{100 * value:.1f} %" if digits is None else f"{value:.{digits}f}"


def _chance(chance: float) -> str:
    return "< 0.0001" if chance < 0.0001 else f"{chance:.2g}" if chance < 0.01 else f"{chance:.2f}"


def _bar(figure: Mapping[str, Any]) -> dict[str, float] | None:
    """Return where the interval and what was observed lie, the expectation in the middle of the box."""
    expected, low, high = figure["expected"], figure["low"], figure["high"]
    if expected is None or low is None or high <= figure["observed"]:
        return None
    deviation = (high - figure["observed"]) / SIDES_95
    away = (figure["observed"] - expected) / deviation
    left, right = _x(away - SIDES_95), _x(away + SIDES_95)
    return {"x": left, "width": round(max(right - left, 2), 2), "dot": _x(away)}


def _x(deviations: float) -> float:
    return round(WIDTH / 2 * (1 + max(-1.0, min(1.0, deviations / _REACH))), 2)


def laws_shown(laws: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the exact expectations of one hand, a row for each measure with the numbers by packs."""
    found = list(laws)
    return [
        {
            "title": TITLES[measure],
            "numbers": [
                {"shown": _number(measure, law["expected"]), "exact": law["exact"]}
                for law in found
                if law["measure"] == measure
            ],
        }
        for measure in dict.fromkeys(law["measure"] for law in found)
    ]
