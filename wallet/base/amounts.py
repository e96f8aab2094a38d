"""Strict fields for amounts in forms and JSON: they accept nothing that was not meant as a number."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from rest_framework import serializers

from wallet.base import money
from wallet.base.money import LARGEST_AMOUNT
from wallet.language import gettext as _

_PLAIN = re.compile(r"([0-9]{1,40})(?:\.([0-9]{1,2}))?")


class WholeAmount(serializers.IntegerField):
    """An amount in JSON: a whole number of the currency's smallest unit. No text, no 1.0, no true."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"min_value": 1, "max_value": LARGEST_AMOUNT, **options})

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            self.fail("invalid")
        return data


class AmountField(forms.CharField):
    """An amount as people type it, in units of the currency: `500`, or `500.50` where it has decimals.

    Cleans to smallest units, from 1 to LARGEST_AMOUNT. Digits are 0 to 9; no sign, no exponents, no grouping.
    """

    def __init__(self, *, currency: str, **options: Any) -> None:
        self.decimals = money.currency(currency).decimals
        self.currency = currency
        attributes = {"inputmode": "decimal" if self.decimals else "numeric", "autocomplete": "off"}
        super().__init__(max_length=60, widget=forms.TextInput(attrs=attributes), **options)

    def clean(self, value: Any) -> int | None:
        text = super().clean(value)
        if not text:
            return None
        amount = self._read(text)
        if amount > LARGEST_AMOUNT:
            most = money.display(LARGEST_AMOUNT, self.currency)
            raise ValidationError(_("At most {most}.", most=most), code="max_value")
        if amount < 1:
            raise ValidationError(_("At least {least}.", least=money.display(1, self.currency)), code="min_value")
        return amount

    def _read(self, text: str) -> int:
        match = _PLAIN.fullmatch(text)
        if match is None or (match[2] and not self.decimals):
            raise ValidationError(self._asked(), code="invalid")
        part = (match[2] or "").ljust(self.decimals, "0")
        return int(match[1] + part)

    def _asked(self) -> str:
        return _("An amount such as 500 or 500.50.") if self.decimals else _("A whole number such as 500.")


class SmallestUnitsField(forms.IntegerField):
    """An amount in smallest units, for forms of staff: ASCII digits and a sign, nothing else, to LARGEST_AMOUNT."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_value": LARGEST_AMOUNT, **options})

    def to_python(self, value: Any) -> int | None:
        text = "" if value is None else str(value).strip()
        if text and not re.fullmatch(r"-?[0-9]{1,19}", text):
            raise ValidationError(_("A whole number of the smallest unit, such as 500."), code="invalid")
        return super().to_python(text)
