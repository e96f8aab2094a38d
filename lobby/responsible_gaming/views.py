"""Where players limit how much and how long they play, see their results of today, and take a break: page and API."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.models import Player
from lobby.accounts.sign_in import signed_in_player
from lobby.responsible_gaming import services
from wallet.base import money
from wallet.base.amounts import WholeAmount
from wallet.base.api import CurrencyField, responses, sent_body
from wallet.base.errors import WalletError
from wallet.language import gettext as _, gettext_lazy
from wallet.responsible_gaming import selectors as responsible_gaming_selectors, services as responsible_gaming
from wallet.responsible_gaming.selectors import CareView, ReminderView, TodayView, translated_change

LIMIT_PERIODS = {"day": gettext_lazy("A day"), "week": gettext_lazy("A week"), "month": gettext_lazy("A month")}
PERIODS = {
    "day": gettext_lazy("24 hours"),
    "week": gettext_lazy("7 days"),
    "month": gettext_lazy("30 days"),
    "half_year": gettext_lazy("6 months"),
    "year": gettext_lazy("1 year"),
    "ever": gettext_lazy("For good"),
}
#: How many changes are listed.
LISTED = 12


class LimitsForm(forms.Form):
    """The limits of one kind, one for each period, in units of the currency or minutes; an empty field is no limit."""

    def __init__(self, *args: Any, rows: list[Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rows = rows
        self.decimals = _decimals(rows[0])
        timed = rows[0]["kind"] == "time"
        most = Decimal(responsible_gaming.MOST_MINUTES if timed else money.LARGEST_AMOUNT) / 10**self.decimals
        for row in rows:
            field = forms.DecimalField(
                label=LIMIT_PERIODS[row["period"]],
                required=False,
                min_value=0,
                max_value=most,
                decimal_places=self.decimals,
            )
            field.initial = None if row["amount"] is None else _in_people_units(row["amount"], self.decimals)
            self.fields[row["period"]] = field

    def changed(self) -> dict[str, int | None]:
        """Return the changed limits by period, in smallest units or minutes."""
        changed = {}
        for row in self.rows:
            value = self.cleaned_data[row["period"]]
            amount = None if value is None else int(value * 10**self.decimals)
            if amount != row["amount"]:
                changed[row["period"]] = amount
        return changed


def _decimals(row: Mapping[str, Any]) -> int:
    return money.currency(row["currency"]).decimals if row["currency"] else 0


def _in_people_units(amount: int, decimals: int) -> str:
    return f"{Decimal(amount).scaleb(-decimals):.{decimals}f}"


class ReminderForm(forms.Form):
    minutes = forms.TypedChoiceField(
        label=gettext_lazy("Remind me after"),
        coerce=int,
        choices=lambda: [(n, _("{n} minutes of play", n=n)) for n in responsible_gaming.REMINDERS],
    )


class ExcludeForm(forms.Form):
    """A break from play; it cannot be undone, so the form asks for a confirmation."""

    period = forms.ChoiceField(
        label=gettext_lazy("For how long?"),
        choices=list(PERIODS.items()),
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Please choose how long your break is.")},
    )
    sure = forms.BooleanField(
        label=gettext_lazy("I understand that nobody can end this break earlier."),
        error_messages={"required": gettext_lazy("Please tick this box if you are sure.")},
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponseBase:
    """Show the player's settings; a POST changes the one that its `act` names."""
    assert isinstance(request.user, Player)
    player, settings = request.user, services.overview(request.user)
    data = request.POST if request.method == "POST" else None
    page_forms = {"limits": _groups(settings, data), "reminder": _reminder(settings, data), "exclude": _exclude(data)}
    if data is not None:
        try:
            act = _ACTS.get(data.get("act", ""))
            if act is not None and act(request, player, page_forms):
                return redirect("lobby:care")
        except WalletError as refusal:
            messages.error(request, refusal.message)
            return redirect("lobby:care")
    context = {
        **page_forms,
        "care": settings,
        "exclusion": settings["exclusion"],
        "hours": divmod(settings["today"]["played_seconds"] // 60, 60),
        "changes": _changes(player),
    }
    return render(request, "lobby/care.html", context, status=200 if data is None else 400)


def _changes(player: Player) -> list[dict[str, Any]]:
    """Return the latest changes in the reader's language, with who made them."""
    changes = responsible_gaming_selectors.changes(player)[:LISTED]
    return [{"at": change.at, "by_id": change.by_id, "text": translated_change(change.text)} for change in changes]


def _groups(settings: Any, data: Any) -> list[dict[str, Any]]:
    """Return the limits by currency, and those of time, each group with its form; the submitted form is bound."""
    rows_by_group: dict[str, list[Any]] = {}
    for row in settings["limits"]:
        rows_by_group.setdefault(row["currency"] or "time", []).append(row)
    submitted = data.get("of") if data is not None and data.get("act") == "limits" else None
    return [
        {
            "of": group,
            "title": _("Time played")
            if group == "time"
            else _("Put into play: {title}", title=money.currency(group).title),
            "unit": _("minutes") if group == "time" else money.currency(group).symbol or _("chips"),
            "form": (form := LimitsForm(data if group == submitted else None, rows=rows, prefix=group)),
            "rows": [{**row, "field": form[row["period"]]} for row in rows],
        }
        for group, rows in rows_by_group.items()
    ]


def _reminder(settings: Any, data: Any) -> ReminderForm:
    is_submitted = data is not None and data.get("act") == "reminder"
    return ReminderForm(data if is_submitted else None, initial={"minutes": settings["reminder"]["every_minutes"]})


def _exclude(data: Any) -> ExcludeForm:
    return ExcludeForm(data if data is not None and data.get("act") == "exclude" else None)


def _set_limits(request: HttpRequest, player: Player, page_forms: Mapping[str, Any]) -> bool:
    group = next((limits for limits in page_forms["limits"] if limits["form"].is_bound), None)
    if group is None or not group["form"].is_valid():
        return False
    rules = [
        services.set_limit(
            player=player, period=period, amount=amount, kind=_kind(group["of"]), currency=_currency(group["of"])
        )
        for period, amount in group["form"].changed().items()
    ]
    pending = [rule for rule in rules if rule.pending_at]
    if len(rules) > len(pending):
        messages.success(request, _("Your limit is set and holds from now on."))
    if pending:
        text = _("A looser limit holds after 72 hours. Until then you can take it back.")
        messages.warning(request, text)
    return True


def _withdraw(request: HttpRequest, player: Player, page_forms: Mapping[str, Any]) -> bool:
    group, _colon, period = request.POST.get("withdraw", "").partition(":")
    responsible_gaming.withdraw(user=player, period=period, kind=_kind(group), currency=_currency(group))
    messages.success(request, _("Your limit stays as it is."))
    return True


def _remind(request: HttpRequest, player: Player, page_forms: Mapping[str, Any]) -> bool:
    if not page_forms["reminder"].is_valid():
        return False
    responsible_gaming.remind_every(user=player, minutes=page_forms["reminder"].cleaned_data["minutes"])
    messages.success(request, _("The table will remind you."))
    return True


def _take_a_break(request: HttpRequest, player: Player, page_forms: Mapping[str, Any]) -> bool:
    if not page_forms["exclude"].is_valid():
        return False
    services.exclude_oneself(player=player, period=page_forms["exclude"].cleaned_data["period"])
    messages.success(request, _("Your break has begun. We wish you a good time away from the table."))
    return True


def _kind(group: str) -> str:
    return "time" if group == "time" else "entries"


def _currency(group: str) -> str:
    return "" if group == "time" else group


_ACTS: Mapping[str, Callable[[HttpRequest, Player, Mapping[str, Any]], bool]] = {
    "limits": _set_limits,
    "withdraw": _withdraw,
    "reminder": _remind,
    "exclude": _take_a_break,
}


# --- the API ----------------------------------------------------------------------------------------------------------

KINDS = ("entries", "time")


class LimitName(serializers.Serializer[Any]):
    """The name of a limit: on chips put into play in a currency, or on time played, over a period."""

    kind = serializers.ChoiceField(choices=KINDS)
    period = serializers.ChoiceField(choices=list(LIMIT_PERIODS))
    currency = CurrencyField(required=False, default="", allow_blank=True, help_text="For `entries` only.")


class LimitRequest(LimitName):
    amount = WholeAmount(
        allow_null=True, min_value=0, help_text="Smallest units of the currency, for `time` minutes; null: no limit."
    )


class ExclusionRequest(serializers.Serializer[Any]):
    period = serializers.ChoiceField(choices=list(responsible_gaming.EXCLUSIONS), help_text="`ever`: for good.")


class ReminderRequest(serializers.Serializer[Any]):
    minutes = serializers.ChoiceField(choices=responsible_gaming.REMINDERS)


class ReminderNow(ReminderView):
    today: TodayView | None


def _overview(request: Request) -> Response:
    return Response(services.overview(signed_in_player(request)))


class Overview(APIView):
    @extend_schema(operation_id="care", responses=responses(CareView))
    def get(self, request: Request) -> Response:
        """Return one's limits with the used part of each, exclusion, reminder, and today's time and results."""
        return _overview(request)


class Now(APIView):
    @extend_schema(operation_id="care_now", responses=responses(ReminderNow))
    def get(self, request: Request) -> Response:
        """Return whether a reminder is due, and if so today's time and results. Tables call this once a minute."""
        player = signed_in_player(request)
        reminder = responsible_gaming_selectors.reminder(player)
        today = responsible_gaming_selectors.today(player) if reminder["due"] else None
        return Response(ReminderNow(**reminder, today=today))


class SetLimit(APIView):
    @extend_schema(operation_id="care_set_limit", request=LimitRequest, responses=responses(CareView, 400, 409))
    def post(self, request: Request) -> Response:
        """Set a limit. A stricter one applies at once; a looser one, or its removal, after 72 hours."""
        body = sent_body(LimitRequest, request)
        services.set_limit(player=signed_in_player(request), **body)
        return _overview(request)


class Withdraw(APIView):
    @extend_schema(operation_id="care_withdraw", request=LimitName, responses=responses(CareView, 400, 409))
    def post(self, request: Request) -> Response:
        """Withdraw a pending change; the limit stays as it is now."""
        body = sent_body(LimitName, request)
        responsible_gaming.withdraw(user=signed_in_player(request), **body)
        return _overview(request)


class ExcludeOneself(APIView):
    @extend_schema(operation_id="care_exclude", request=ExclusionRequest, responses=responses(CareView, 400, 409))
    def post(self, request: Request) -> Response:
        """Exclude oneself from play. It cannot be undone or shortened; a running match is played to its end."""
        body = sent_body(ExclusionRequest, request)
        services.exclude_oneself(player=signed_in_player(request), period=body["period"])
        return _overview(request)


class Reminder(APIView):
    @extend_schema(operation_id="care_remind", request=ReminderRequest, responses=responses(CareView, 400, 409))
    def post(self, request: Request) -> Response:
        """Set the minutes of play after which the table reminds one of the time."""
        responsible_gaming.remind_every(
            user=signed_in_player(request), minutes=sent_body(ReminderRequest, request)["minutes"]
        )
        return _overview(request)


class Seen(APIView):
    @extend_schema(operation_id="care_seen", request=None, responses=responses(CareView))
    def post(self, request: Request) -> Response:
        """Acknowledge a reminder; the next one counts from now."""
        responsible_gaming.acknowledge(user=signed_in_player(request))
        return _overview(request)
