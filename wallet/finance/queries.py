"""The queries of finance, the same on the pages and in the API."""

from datetime import date, timedelta
from typing import Any

from rest_framework import serializers

from wallet.base.api import LARGEST_ID, CurrencyField
from wallet.base.errors import WalletError
from wallet.base.report_zone import today
from wallet.finance.exports import FORMATS
from wallet.finance.periods import FIRST_DAY, LAST_DAY, Period
from wallet.finance.reports import REPORTS, TYPES
from wallet.finance.totals import BALANCES, FIGURES, GROUPS
from wallet.models import AccountKind, Reason

#: The most days of a report; exports have no such bound.
LONGEST = 400
USUAL = timedelta(days=29)


class PeriodQuery(serializers.Serializer[Any]):
    """A period `from` its first day `to` its last, in the report zone; by default the last thirty days."""

    currency = CurrencyField(default="FUN")
    longest = LONGEST

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        # `from` is a keyword of Python, so it cannot be a class attribute.
        days = {"from": serializers.DateField(required=False), "to": serializers.DateField(required=False)}
        return {**days, **super().get_fields()}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        last = attrs.pop("to", None) or today()
        first = attrs.pop("from", None) or last - min(USUAL, last - date.min)
        try:
            period = Period(first=first, last=last)
        except WalletError as error:
            raise serializers.ValidationError(error.message) from error
        _check_days(first, last)
        if (last - first).days >= self.longest:
            raise serializers.ValidationError(f"A report covers {self.longest} days at most.")
        return {**attrs, "period": period}


class PlacesQuery(PeriodQuery):
    """A period, and whether totals are by table, stake or book."""

    group = serializers.ChoiceField(choices=list(GROUPS), default="table")


class ExportQuery(PeriodQuery):
    """A period of any length; by default all currencies."""

    currency = CurrencyField(default="", allow_blank=True)
    format = serializers.ChoiceField(choices=list(FORMATS), default="csv")
    as_of = serializers.IntegerField(
        min_value=0, max_value=LARGEST_ID, default=None, allow_null=True,
        help_text="Without the transfers after that one: the same file once more, whatever was posted since.",
    )  # fmt: skip
    longest = 10**6


class ReportQuery(PeriodQuery):
    """The query of a report as a file."""

    report = serializers.ChoiceField(choices=list(REPORTS))
    format = serializers.ChoiceField(choices=list(TYPES))


class ExportTicket(serializers.Serializer[Any]):
    """A page's own name for the export that it requests."""

    ticket = serializers.RegexField(r"^[0-9a-z]{16,40}$", default="", allow_blank=True)


class PageExportQuery(ExportTicket, ExportQuery):
    """The query of an export by a page that shows its progress."""


class LedgerQuery(serializers.Serializer[Any]):
    """Filters of the ledger; by default there are none. Days are those of the report zone, both included."""

    currency = CurrencyField(default="", allow_blank=True)
    what = serializers.ChoiceField(choices=[*FIGURES, *BALANCES], default="", allow_blank=True)
    reference = serializers.RegexField(
        r"^[a-z:0-9]*$", max_length=40, default="", allow_blank=True, help_text="Of an account: seating:7, match:3."
    )
    place = serializers.RegexField(
        r"^((table|stake|seating|match|tournament):[0-9]{1,18}|book:[a-z0-9-]{1,40})?$", default="", allow_blank=True,
        help_text="What was played at table:ID, stake:ID, by book:KEY: a line of the totals of places.",
    )  # fmt: skip
    kind = serializers.ChoiceField(
        choices=AccountKind.choices, default="", allow_blank=True, help_text="To or from accounts of that kind."
    )
    side = serializers.ChoiceField(
        choices=["credits", "debits"],
        default="",
        allow_blank=True,
        help_text="With `kind`: only what such accounts received, or paid.",
    )
    reason = serializers.ChoiceField(choices=Reason.choices, default="", allow_blank=True)
    player = serializers.IntegerField(
        min_value=1, max_value=LARGEST_ID, default=None, allow_null=True, help_text="On whose accounts something moved."
    )
    as_of = serializers.IntegerField(
        min_value=0, max_value=LARGEST_ID, default=None, allow_null=True, help_text="Nothing after that transfer."
    )

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        days = {
            "from": serializers.DateField(source="since", default=None),
            "to": serializers.DateField(source="until", default=None),
        }
        return {**days, **super().get_fields()}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        _check_days(*filter(None, (attrs["since"], attrs["until"])))
        return attrs


def _check_days(*days: date) -> None:
    if not all(FIRST_DAY <= day <= LAST_DAY for day in days):
        raise serializers.ValidationError("Such days are not in any ledger.")
