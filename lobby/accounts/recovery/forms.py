"""Forms of the forgotten password and of new recovery codes."""

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError

from lobby.accounts.models import Player
from lobby.accounts.passwords import LONGEST
from wallet.language import worded_later


class ForgottenForm(forms.Form):
    """Name, code and new password. What is refused does not depend on whether anybody has the name."""

    username = forms.CharField(
        label=worded_later("Name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )
    code = forms.CharField(
        label=worded_later("Recovery code"),
        max_length=40,
        help_text=worded_later("One of those that you were shown when you signed up, or made on your account page."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    password = forms.CharField(
        label=worded_later("New password"),
        min_length=8,
        max_length=LONGEST,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=worded_later("At least 8 characters. A few words in a row are good."),
    )

    def clean(self) -> dict[str, Any]:
        password = self.cleaned_data.get("password")
        if password:
            try:
                password_validation.validate_password(password, Player(username=self.cleaned_data.get("username", "")))
            except ValidationError as error:
                self.add_error("password", error)
        return self.cleaned_data


class OwnPasswordForm(forms.Form):
    """The password of the signed-in player, to confirm an act."""

    password = forms.CharField(
        label=worded_later("Password"),
        max_length=LONGEST,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
