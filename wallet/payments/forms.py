"""Forms for players: the declaration of who they are, deposits, and withdrawals."""

import re
import uuid
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError

from wallet.base.amounts import AmountField
from wallet.language import worded, worded_later
from wallet.payments.identity.jurisdictions import choices
from wallet.payments.models import CURRENCY
from wallet.payments.providers import registry
from wallet.payments.providers.base import Gateway

IFSC = re.compile(r"[A-Z]{4}0[A-Z0-9]{6}", re.ASCII)
_ASKED = {"required": worded_later("We need this to pay you.")}
ACCOUNT = re.compile(r"[0-9]{6,18}", re.ASCII)


#: A PAN of a person: its fourth letter is P.
PAN = re.compile(r"[A-Z]{3}P[A-Z][0-9]{4}[A-Z]", re.ASCII)


def check_pan(text: str) -> str:
    """Return the PAN in capitals, without blanks; ValidationError unless it has the form of a person's."""
    tidy = text.replace(" ", "").upper()
    if not PAN.fullmatch(tidy):
        raise ValidationError("A person's PAN has five letters, the fourth a P, four digits and a letter: ABCPE1234F.")
    return tidy


def check_account(text: str) -> str:
    """Return the account number without blanks; ValidationError unless it can be one."""
    tidy = text.replace(" ", "")
    if not ACCOUNT.fullmatch(tidy):
        raise ValidationError(worded("An account number has 6 to 18 digits."), code="invalid")
    return tidy


def check_ifsc(text: str) -> str:
    """Return the IFSC in capitals, without blanks; ValidationError unless it has the right form."""
    tidy = text.replace(" ", "").upper()
    if not IFSC.fullmatch(tidy):
        raise ValidationError(worded("An IFSC has four letters, a zero and six more characters, such as SBIN0001234."))
    return tidy


def _plain(**attributes: str) -> forms.TextInput:
    return forms.TextInput(attrs={"autocomplete": "off", **attributes})


class DeclareForm(forms.Form):
    jurisdiction = forms.ChoiceField(
        label=worded_later("Where you live"), error_messages={"required": worded_later("Please choose where you live.")}
    )
    birth_date = forms.DateField(
        label=worded_later("Date of birth"),
        widget=forms.DateInput(attrs={"type": "date", "autocomplete": "bday"}, format="%Y-%m-%d"),
        error_messages={
            "required": worded_later("Please say when you were born."),
            "invalid": worded_later("A day as 1990-05-17."),
        },
    )
    terms = forms.BooleanField(
        label=worded_later("I accept the terms of play for money"),
        error_messages={"required": worded_later("Without the terms there is no play for money.")},
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["jurisdiction"].choices = [("", worded("Choose")), *choices(settings.MONEY_JURISDICTIONS)]  # type: ignore[attr-defined]


class PaymentForm(forms.Form):
    """An amount and a gateway; the hidden `request` makes sure that a form sent twice counts once."""

    amount = AmountField(
        currency=CURRENCY, label=worded_later("Amount in ₹"), error_messages={"required": worded_later("How much?")}
    )
    gateway = forms.ChoiceField(label=worded_later("By"))
    request = forms.CharField(max_length=40, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.initial.setdefault("request", uuid.uuid4().hex)
        offered = [(each.name, each.title) for each in self.gateways()]
        self.fields["gateway"].choices = offered  # type: ignore[attr-defined]
        if len(offered) == 1:
            self.fields["gateway"].widget = forms.HiddenInput()
            self.initial["gateway"] = offered[0][0]

    def gateways(self) -> list[Gateway]:
        return registry.offered_gateways()


class DepositForm(PaymentForm):
    prefix = "in"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        amount = self.fields["amount"]
        assert isinstance(amount, AmountField)
        amount.least, amount.most = settings.MONEY_DEPOSITS["least"], settings.MONEY_DEPOSITS["most"]


class WithdrawForm(PaymentForm):
    prefix = "out"
    name = forms.CharField(
        label=worded_later("Name on the account"), min_length=2, max_length=80, error_messages=_ASKED,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )  # fmt: skip
    account = forms.CharField(
        label=worded_later("Account number"), max_length=30, error_messages=_ASKED, widget=_plain(inputmode="numeric")
    )
    ifsc = forms.CharField(
        label="IFSC", max_length=20, error_messages=_ASKED, widget=_plain(autocapitalize="characters")
    )

    def clean_account(self) -> str:
        return check_account(self.cleaned_data["account"])

    def clean_ifsc(self) -> str:
        return check_ifsc(self.cleaned_data["ifsc"])

    def gateways(self) -> list[Gateway]:
        return registry.payout_gateways()

    def destination(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in ("name", "account", "ifsc")}
