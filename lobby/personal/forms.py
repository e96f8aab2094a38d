"""The form that closes an account."""

from typing import Any

from django import forms

from lobby.accounts.forms import OwnPasswordForm
from wallet.language import gettext_lazy


class ClosingForm(OwnPasswordForm):
    """The password, a code of the authenticator where there is one, and a box to tick."""

    field_order = ("password", "code", "sure")

    code = forms.CharField(
        label=gettext_lazy("Code of your authenticator"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autocapitalize": "none"}),
    )
    sure = forms.BooleanField(label=gettext_lazy("I know that nobody can open this account again."))

    def __init__(self, *args: Any, with_code: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not with_code:
            del self.fields["code"]
