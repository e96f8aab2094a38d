"""The page on which players limit how much and how long they play, see their results of today, and take a break."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from lobby.accounts.models import Player
from lobby.responsible_gaming import services
from wallet.base import money
from wallet.base.errors import WalletError
from wallet.language import worded, worded_later
from wallet.responsible_gaming import selectors as responsible_gaming_selectors
from wallet.responsible_gaming import services as responsible_gaming
from wallet.responsible_gaming.change_texts import told_change

SPANS = {"day": worded_later("A day"), "week": worded_later("A week"), "month": worded_later("A month")}
PERIODS = {
    "day": worded_later("24 hours"),
    "week": worded_later("7 days"),
    "month": worded_later("30 days"),
    "half_year": worded_later("6 months"),
    "year": worded_later("1 year"),
    "ever": worded_later("For good"),
}
#: How many changes are listed.
LISTED = 12


class LimitsForm(forms.Form):
    """The limits of one kind, one for each span, in units of the currency or minutes; an empty field is no limit."""

    def __init__(self, *args: Any, rows: list[Any], **named: Any) -> None:
        super().__init__(*args, **named)
        self.rows = rows
        self.decimals = _decimals(rows[0])
        timed = rows[0]["kind"] == "time"
        most = Decimal(responsible_gaming.MOST_MINUTES if timed else money.LARGEST_AMOUNT) / 10**self.decimals
        for row in rows:
            field = forms.DecimalField(
                label=SPANS[row["span"]], required=False, min_value=0, max_value=most, decimal_places=self.decimals
            )
            field.initial = None if row["amount"] is None else _in_people_units(row["amount"], self.decimals)
            self.fields[row["span"]] = field

    def wanted(self) -> dict[str, int | None]:
        """Return the changed limits by span, in smallest units or minutes."""
        found = {}
        for row in self.rows:
            value = self.cleaned_data[row["span"]]
            amount = None if value is None else int(value * 10**self.decimals)
            if amount != row["amount"]:
                found[row["span"]] = amount
        return found


def _decimals(row: Mapping[str, Any]) -> int:
    return money.currency(row["currency"]).decimals if row["currency"] else 0


def _in_people_units(amount: int, decimals: int) -> str:
    return f"{Decimal(amount).scaleb(-decimals):.{decimals}f}"


class ReminderForm(forms.Form):
    minutes = forms.TypedChoiceField(
        label=worded_later("Remind me after"),
        coerce=int,
        choices=lambda: [(n, worded("{n} minutes of play", n=n)) for n in responsible_gaming.REMINDERS],
    )


class ExcludeForm(forms.Form):
    """A break from play; it cannot be undone, so the form asks for a confirmation."""

    period = forms.ChoiceField(
        label=worded_later("For how long?"), choices=list(PERIODS.items()), widget=forms.RadioSelect
    )
    sure = forms.BooleanField(label=worded_later("I understand that nobody can end this break earlier."))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponseBase:
    """Show the player's settings; a POST changes the one that its `act` names."""
    assert isinstance(request.user, Player)
    player, told = request.user, services.overview(request.user)
    data = request.POST if request.method == "POST" else None
    shown = {"limits": _groups(told, data), "reminder": _reminder(told, data), "exclude": _exclude(data)}
    if data is not None:
        try:
            if _ACTS.get(data.get("act", ""), _nothing)(request, player, shown):
                return redirect("lobby:care")
        except WalletError as refusal:
            messages.error(request, refusal.message)
            return redirect("lobby:care")
    context = {
        **shown,
        "care": told,
        "exclusion": told["exclusion"],
        "hours": divmod(told["today"]["played_seconds"] // 60, 60),
        "changes": _changes(player),
    }
    return render(request, "lobby/care.html", context, status=200 if data is None else 400)


def _changes(player: Player) -> list[dict[str, Any]]:
    """Return the latest changes in the reader's language, with who made them."""
    found = responsible_gaming_selectors.changes(player)[:LISTED]
    return [{"at": each.at, "by_id": each.by_id, "what": told_change(each.what)} for each in found]


def _groups(told: Any, data: Any) -> list[dict[str, Any]]:
    """Return the limits by currency, and those of time, each group with its form; the submitted form is bound."""
    found: dict[str, list[Any]] = {}
    for row in told["limits"]:
        found.setdefault(row["currency"] or "time", []).append(row)
    sent = data.get("of") if data is not None and data.get("act") == "limits" else None
    return [
        {
            "of": of,
            "title": worded("Time played")
            if of == "time"
            else worded("Put into play: {title}", title=money.currency(of).title),
            "unit": worded("minutes") if of == "time" else worded("chips") if money.currency(of).noun else "₹",
            "form": (form := LimitsForm(data if of == sent else None, rows=rows, prefix=of)),
            "rows": [{**row, "field": form[row["span"]]} for row in rows],
        }
        for of, rows in found.items()
    ]


def _reminder(told: Any, data: Any) -> ReminderForm:
    mine = data is not None and data.get("act") == "reminder"
    return ReminderForm(data if mine else None, initial={"minutes": told["reminder"]["every_minutes"]})


def _exclude(data: Any) -> ExcludeForm:
    return ExcludeForm(data if data is not None and data.get("act") == "exclude" else None)


def _set_limits(request: HttpRequest, player: Player, shown: Mapping[str, Any]) -> bool:
    group = next((each for each in shown["limits"] if each["form"].is_bound), None)
    if group is None or not group["form"].is_valid():
        return False
    rules = [
        services.set_limit(
            player=player, span=span, amount=amount, kind=_kind(group["of"]), currency=_currency(group["of"])
        )
        for span, amount in group["form"].wanted().items()
    ]
    waits = [rule for rule in rules if rule.pending_at]
    if len(rules) > len(waits):
        messages.success(request, worded("Your limit is set and holds from now on."))
    if waits:
        text = worded("What is looser than before holds in 72 hours. Until then you can take it back.")
        messages.warning(request, text)
    return True


def _withdraw(request: HttpRequest, player: Player, shown: Mapping[str, Any]) -> bool:
    of, _, span = request.POST.get("withdraw", "").partition(":")
    responsible_gaming.withdraw(user=player, span=span, kind=_kind(of), currency=_currency(of))
    messages.success(request, worded("Your limit stays as it is."))
    return True


def _remind(request: HttpRequest, player: Player, shown: Mapping[str, Any]) -> bool:
    if not shown["reminder"].is_valid():
        return False
    responsible_gaming.remind_every(user=player, minutes=shown["reminder"].cleaned_data["minutes"])
    messages.success(request, worded("The table will remind you."))
    return True


def _take_a_break(request: HttpRequest, player: Player, shown: Mapping[str, Any]) -> bool:
    if not shown["exclude"].is_valid():
        return False
    services.exclude_oneself(player=player, period=shown["exclude"].cleaned_data["period"])
    messages.success(request, worded("Your break has begun. We wish you a good time away from the table."))
    return True


def _nothing(request: HttpRequest, player: Player, shown: Mapping[str, Any]) -> bool:
    return False


def _kind(of: str) -> str:
    return "time" if of == "time" else "entries"


def _currency(of: str) -> str:
    return "" if of == "time" else of


_ACTS: Mapping[str, Callable[[HttpRequest, Player, Mapping[str, Any]], bool]] = {
    "limits": _set_limits,
    "withdraw": _withdraw,
    "reminder": _remind,
    "exclude": _take_a_break,
}
