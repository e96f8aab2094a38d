"""Filter the lobby, and buy in."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from lobby.stakes.selectors import StakeFilter
from rules.books import Family
from wallet.base.amounts import AmountField


def _family_choices() -> list[tuple[str, str]]:
    return [("", "All"), *((family.value, family.value.capitalize()) for family in Family)]


class LobbyFilterForm(forms.Form):
    """The filters of the lobby, the same for page and API. Empty fields do not filter."""

    family = forms.ChoiceField(required=False, choices=_family_choices)
    seats = forms.TypedChoiceField(
        required=False,
        coerce=int,
        empty_value=None,
        choices=[("", "Any"), *((n, f"{n} seats") for n in range(2, 7))],
    )
    currency = forms.ChoiceField(required=False, choices=[("", "Any"), ("FUN", "Fun chips"), ("INR", "Rupees")])
    min = forms.IntegerField(required=False, min_value=0, max_value=2**53)
    max = forms.IntegerField(required=False, min_value=0, max_value=2**53)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        least, most = data.get("min"), data.get("max")
        if least is not None and most is not None and least > most:
            self.add_error("max", ValidationError("This is below the least amount.", code="below_min"))
        return data

    def wanted(self, *, whole: bool = False) -> StakeFilter:
        """Return the filter that valid data ask for.

        Amounts in smallest units, or in whole ones as people type them.
        """
        data = self.cleaned_data
        return StakeFilter(
            family=data["family"] or None,
            seats=data["seats"],
            currency=data["currency"] or None,
            least=data["min"],
            most=data["max"],
            whole=whole,
        )


class BuyInForm(forms.Form):
    """How much to sit down with, typed in whole units; nothing for the least. The limits are checked by the table."""

    table = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)

    def __init__(self, *args: Any, currency: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["buy_in"] = AmountField(currency=currency, required=False)
