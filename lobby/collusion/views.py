"""The public page on how playing together unfairly is seen."""

from collections.abc import Mapping
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
        "alarms": [f"{100 * rate:g}" for rate in told["alarms"]],
        "tables": [
            {"deals": number, "rows": [_row(row) for row in told["rows"] if row["deals"] == number]}
            for number in told["common"]
        ],
        "least_deals": LEAST_DEALS,
    }
    return render(request, "lobby/playing_together.html", context)


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "title": KINDS.get(row["kind"], row["kind"]),
        "honest": row["kind"].startswith("honest"),
        "pairs": row["pairs"],
        "cells": [
            {"rate": _percent(cell["rate"]), "low": _percent(cell["low"]), "high": _percent(cell["high"])}
            for cell in row["found"]
        ],
    }


def _percent(part: float) -> str:
    """Return a part of one in per cent, with a decimal where it is small."""
    return f"{100 * part:.0f}" if part >= 0.1 or not part else f"{100 * part:.1f}"
