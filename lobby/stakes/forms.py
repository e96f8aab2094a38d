"""The forms of the lobby: its filters, the buy-in, and the terms of a table for friends."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator

from lobby.stakes.models import UNHURRIED_RESULT_SECONDS, Stake, currency_choices
from lobby.stakes.presenters import FAMILY_TITLES
from lobby.stakes.selectors import StakeFilter
from rules.books import BOOKS, RuleBook
from wallet.base.amounts import AmountField
from wallet.language import gettext as _, gettext_lazy

_NO_BOOK = gettext_lazy("There is no such rule book.")


def _family_choices() -> list[tuple[str, str]]:
    return [("", _("All")), *((family.value, _(title)) for family, title in FAMILY_TITLES.items())]


class LobbyFilterForm(forms.Form):
    """The filters of the lobby, the same for page and API. Empty fields do not filter."""

    family = forms.ChoiceField(required=False, choices=_family_choices)
    seats = forms.TypedChoiceField(
        required=False,
        coerce=int,
        empty_value=None,
        choices=lambda: [("", _("Any")), *((n, _("{n} seats", n=n)) for n in range(2, 7))],
    )
    currency = forms.ChoiceField(required=False, choices=lambda: [("", _("Any")), *currency_choices()])
    min = forms.IntegerField(required=False, min_value=0, max_value=2**53)
    max = forms.IntegerField(required=False, min_value=0, max_value=2**53)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        least, most = data.get("min"), data.get("max")
        if least is not None and most is not None and least > most:
            self.add_error("max", ValidationError(_("This is below the least amount."), code="below_min"))
        return data

    def stake_filter(self, *, in_units: bool = False) -> StakeFilter:
        """Return the filter of valid data; amounts in smallest units or, if `in_units`, as people type them."""
        data = self.cleaned_data
        return StakeFilter(
            family=data["family"] or None,
            seats=data["seats"],
            currency=data["currency"] or None,
            least=data["min"],
            most=data["max"],
            in_units=in_units,
        )


class BuyInForm(forms.Form):
    """A buy-in, typed in whole units; empty for the least. The table checks the limits."""

    table = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)

    def __init__(self, *args: Any, currency: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["buy_in"] = AmountField(currency=currency, required=False)


def _between(label: str, least: int, most: int, usual: int) -> forms.IntegerField:
    """Return a field for a whole number from `least` to `most`, which is `usual` where it is left out."""
    field = forms.IntegerField(label=label, min_value=least, max_value=most, initial=usual, required=False)
    field.help_text = f"{least}–{most:,}"
    return field


class OwnTableForm(forms.ModelForm):  # type: ignore[type-arg]
    """The terms of a table for friends: fun chips, no fee, one's own clocks. Terms that the book lacks are ignored."""

    seats = _between(gettext_lazy("Seats"), 2, 6, 2)
    deals = _between(gettext_lazy("Deals"), 1, 10, 3)
    point_value = _between(gettext_lazy("Chips a point"), 1, 1_000, 1)
    entry = _between(gettext_lazy("Entry in chips"), 1, 100_000, 100)
    turn_seconds = _between(gettext_lazy("Turn, seconds"), 10, 120, 30)
    extra_seconds = _between(gettext_lazy("Extra time, seconds"), 5, 120, 30)
    meld_seconds = _between(gettext_lazy("Melding, seconds"), 20, 180, 45)
    result_seconds = _between(gettext_lazy("Between deals, seconds"), 5, 60, UNHURRIED_RESULT_SECONDS)

    class Meta:
        model = Stake
        fields = ["book"]
        error_messages = {"book": dict.fromkeys(("required", "invalid_choice"), _NO_BOOK)}

    field_order = ["book", "seats", "deals"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        book = BOOKS.get(data.get("book", ""))
        if book is not None and data.get("deals") is None and "deals" not in self.errors:
            data["deals"] = book.deals
        for name, field in self.fields.items():
            if data.get(name) is None and field.initial is not None and name not in self.errors:
                data[name] = field.initial
        if book is not None:
            if data.get("seats") is not None:
                self._check_seats(book, data["seats"])
            data["point_value" if not book.per_point else "entry"] = None
            data["deals"] = data.get("deals") if book.deals else None
            for name in set(self.fields) - {"book", "deals"}:
                setattr(self.instance, name, data.get(name))
        return data

    def _check_seats(self, book: RuleBook, seats: int) -> None:
        """Refuse a number of seats that the book does not have, before the stake does in the words of staff."""
        for check in (MinValueValidator(book.min_seats), MaxValueValidator(book.max_seats)):
            try:
                check(seats)
            except ValidationError as fault:
                self.add_error("seats", fault)

    @property
    def books(self) -> list[RuleBook]:
        """Every rule book, for the page to show the fields that each of them needs."""
        return list(BOOKS.values())

    @property
    def clocks(self) -> list[forms.BoundField]:
        """The fields for the lengths of the clocks."""
        return [self[name] for name in self.fields if name.endswith("_seconds")]
