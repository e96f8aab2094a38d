"""The page of a player's own figures."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from tables.history import plots
from tables.history.figures import TENS, figures_of
from wallet.base import report_zone
from wallet.base.api import player_of
from wallet.language import gettext_lazy

#: The values of `chips` in the query: the words for it, the currency, and whether it is practice.
CHIPS = {
    "stakes": (gettext_lazy("Chips at stakes"), "FUN", False),
    "practice": (gettext_lazy("Practice chips"), "FUN", True),
}
#: The values of `days` in the query, and the words for each; an empty one means all days.
PERIODS = {
    "30": gettext_lazy("30 days"),
    "90": gettext_lazy("90 days"),
    "365": gettext_lazy("A year"),
    "": gettext_lazy("All time"),
}
#: The most days listed in numbers beside the plot, latest first.
DAYS_TOLD = 60


@login_required
@require_GET
def figures(request: HttpRequest) -> HttpResponse:
    """Show the player's figures for the `chips` and `days` of the query; by default at stakes, of all time."""
    chips = request.GET.get("chips", "")
    chips = chips if chips in CHIPS else "stakes"
    days = request.GET.get("days", "")
    days = days if days in PERIODS else ""
    _, currency, practice = CHIPS[chips]
    own = figures_of(player_of(request), currency=currency, practice=practice, since=_midnight_before(days))
    curve = plots.curve_of(own.days)
    context: dict[str, Any] = {
        "chips": chips,
        "offered": {key: words for key, (words, *_) in CHIPS.items()},
        "days": days,
        "periods": PERIODS,
        "currency": currency,
        "practice": practice,
        "own": own,
        "curve": curve,
        "told": curve.days[: -DAYS_TOLD - 1 : -1] if curve else [],
        "outcomes": plots.columns_of([(outcome, getattr(own.total, outcome)) for outcome in _OUTCOMES]),
        "caught": plots.columns_of([(str(10 * ten), own.caught[ten]) for ten in range(TENS)]),
        "width": plots.WIDTH,
        "height": plots.HEIGHT,
    }
    return render(request, "tables/figures.html", context)


_OUTCOMES = ("won", "lost", "dropped", "wrong", "left")


def _midnight_before(days: str) -> Any:
    """Return when the first of so many days began, of which today is the last; None for all days."""
    if not days:
        return None
    return report_zone.midnight(report_zone.today() - timedelta(days=int(days) - 1))
