"""The form of the account's e-mail address."""

from django import forms

from lobby.accounts.recovery.forms import OwnPasswordForm
from wallet.language import worded_later


class AddressForm(OwnPasswordForm):
    """An address, or none, and the password."""

    field_order = ("email", "password")

    email = forms.EmailField(
        label=worded_later("E-mail address"),
        required=False,
        max_length=254,
        help_text=worded_later("Leave it empty to use none."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
