"""Admin forms with which finance adds payments; validating a form calls the service."""

import uuid
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import models

from wallet.backoffice.actions import ReasonForm
from wallet.backoffice.asking import AskingForm
from wallet.base.amounts import AmountField
from wallet.payments import suspense, withdrawals
from wallet.payments.forms import check_account, check_ifsc, check_pan
from wallet.payments.models import CURRENCY, Deposit, SuspenseItem, Withdrawal


class DeskForm(AskingForm):
    reason = forms.CharField(
        min_length=3, max_length=500, widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"})
    )


class ProofForm(ReasonForm):
    """What staff have seen of a player whom they verify."""

    field_order = ("pan", "reason")

    pan = forms.CharField(
        max_length=20, label="PAN", required=False, widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="As on the card; empty where another proof was seen. Only a mark of it is kept, by which another"
        " account of the same person is found.",
    )  # fmt: skip

    def clean_pan(self) -> str:
        pan = self.cleaned_data["pan"]
        return check_pan(pan) if pan else ""


class PayoutForm(DeskForm):
    """A withdrawal for a player who is locked out or takes a break."""

    player_name = forms.CharField(max_length=20, label="Player", help_text="The name with which the player signs in.")
    rupees = AmountField(currency=CURRENCY, label="Amount in ₹")
    account_name = forms.CharField(min_length=2, max_length=80, label="Name on the account")
    account = forms.CharField(max_length=30, label="Account number")
    ifsc = forms.CharField(max_length=20, label="IFSC")
    sent = forms.CharField(widget=forms.HiddenInput, max_length=40, initial=lambda: uuid.uuid4().hex)

    class Meta:
        model = Withdrawal
        fields = ()

    def clean_player_name(self) -> Any:
        try:
            return get_user_model()._default_manager.get_by_natural_key(self.cleaned_data["player_name"])
        except get_user_model().DoesNotExist as error:
            raise ValidationError("There is no player of this name.") from error

    def clean_account(self) -> str:
        return check_account(self.cleaned_data["account"])

    def clean_ifsc(self) -> str:
        return check_ifsc(self.cleaned_data["ifsc"])

    def ask(self, data: dict[str, Any]) -> models.Model:
        destination = {"name": data["account_name"], "account": data["account"], "ifsc": data["ifsc"]}
        return withdrawals.ask_for(
            request=data["sent"], player=data["player_name"], amount=data["rupees"], destination=destination,
            reason=data["reason"], actor=self.actor,
        )  # fmt: skip


class ArrivalForm(DeskForm):
    """A payment at the bank that belongs to no open deposit, or a withdrawal that the bank has returned."""

    receipt = forms.CharField(max_length=40, label="The bank's reference of what arrived")
    rupees = AmountField(currency=CURRENCY, label="Amount in ₹")
    quotes = forms.CharField(
        max_length=12, required=False, label="Deposit", help_text="The reference that it quotes, where it quotes one."
    )
    returns = forms.CharField(
        max_length=18, required=False, label="Withdrawal",
        help_text="The number of the paid withdrawal that the bank has returned.",
    )  # fmt: skip

    class Meta:
        model = SuspenseItem
        fields = ()

    def clean_quotes(self) -> Deposit | None:
        reference = self.cleaned_data["quotes"].strip()
        quoted = Deposit.objects.filter(reference__iexact=reference).first() if reference else None
        if reference and quoted is None:
            raise ValidationError("There is no deposit of this reference: leave it empty.")
        return quoted

    def clean_returns(self) -> Withdrawal | None:
        number = self.cleaned_data["returns"].strip()
        is_number = number.isascii() and number.isdigit()
        withdrawal = Withdrawal.objects.filter(pk=int(number)).first() if is_number else None
        if number and withdrawal is None:
            raise ValidationError("There is no withdrawal of this number.")
        return withdrawal

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        back = data.get("returns")
        if back is not None and data.get("quotes") is not None:
            self.add_error("returns", "It is the one or the other.")
        elif back is not None and data.get("rupees") not in (None, back.amount):
            self.add_error("rupees", "The withdrawal was of another amount.")
        return super().clean()

    def ask(self, data: dict[str, Any]) -> models.Model:
        fields = {"receipt": data["receipt"], "reason": data["reason"], "actor": self.actor}
        if data["returns"] is not None:
            return suspense.note_return(withdrawal=data["returns"], **fields)
        return suspense.note_payment(amount=data["rupees"], deposit=data["quotes"], **fields)
