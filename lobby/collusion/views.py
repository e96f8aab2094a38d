"""The public page on how playing together unfairly is seen."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from lobby.collusion import figures
from lobby.collusion.services import LEAST_DEALS
from wallet.language import gettext_lazy

#: The rows of the table by their name in the benchmark, in words.
KINDS = {
    "honest friends": gettext_lazy("Honest friends who always sit together"),
    "honest strangers": gettext_lazy("Honest players who meet by chance"),
    "shared hands": gettext_lazy("Each knows the other’s hand"),
    "fed discards": gettext_lazy("One asks by signs and is fed discards"),
    "drops for each other": gettext_lazy("One drops when the other’s hand is better"),
    "alternating wins": gettext_lazy("They let each other win in turns"),
    "chips passed on": gettext_lazy("One loses chips to the other on purpose"),
    "shared hands, in every third deal": gettext_lazy("Each knows the other’s hand, in every third deal only"),
}


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show what is looked at, what follows, and how much of it is found."""
    told = figures.benchmark()
    context = {
        "told": told,
        "common": told["common"],
        "tables": [
            {"rate": f"{100 * rate:g}", "rows": [_row(kind, place) for kind in KINDS]}
            for place, rate in enumerate(told["alarms"])
        ],
        "faults": _percent(told["usual"]["means"]["faults"]),
        "broken": _percent(told["usual"]["means"]["broken"]),
        "least_deals": LEAST_DEALS,
    }
    return render(request, "lobby/playing_together.html", context)


def _row(kind: str, alarm: int) -> dict[str, Any]:
    """Return how many pairs of that kind are found at that rate of false alarms, after ever more common deals."""
    rows = [row for row in figures.benchmark()["rows"] if row["kind"] == kind]
    return {
        "title": KINDS[kind],
        "honest": kind.startswith("honest"),
        "cells": [
            {name: _percent(row["found"][alarm][name]) for name in ("rate", "low", "high")} | {"pairs": row["pairs"]}
            for row in rows
        ],
    }


def _percent(part: float) -> str:
    """Return a part of one in per cent, with a decimal where it is small."""
    return f"{100 * part:.0f}" if part >= 0.1 else f"{round(100 * part, 1):g}"
