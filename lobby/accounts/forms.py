"""Forms of the account."""

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError

from lobby.accounts import sign_in
from lobby.accounts.models import Player
from lobby.accounts.names import USERNAME_HELP, not_reserved
from wallet.language import worded, worded_later


class SignUpForm(forms.ModelForm):  # type: ignore[type-arg]
    """The name and password of a new account; reserved names and other players' names are refused."""

    password = forms.CharField(
        label=worded_later("Password"),
        min_length=8,
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=worded_later("At least 8 characters. A few words in a row are good."),
    )

    class Meta:
        model = Player
        fields = ["username"]
        labels = {"username": worded_later("Name")}
        help_texts = {"username": USERNAME_HELP}
        widgets = {
            "username": forms.TextInput(
                attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false", "autofocus": True}
            )
        }

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        not_reserved(username)
        if _belongs_to_another(username, self.instance):
            raise ValidationError(worded("This name is taken. Please choose another."), code="taken")
        return username

    def _post_clean(self) -> None:
        # Only now does the instance have its name, with which the password is compared.
        super()._post_clean()  # type: ignore[misc]
        password = self.cleaned_data.get("password")
        if password:
            try:
                password_validation.validate_password(password, self.instance)
            except ValidationError as error:
                self.add_error("password", error)


class SignInForm(AuthenticationForm):
    """Name and password, for the pages and the admin; failures are counted together with those of the API."""

    remember = forms.BooleanField(label=worded_later("Keep me signed in on this device"), required=False, initial=True)

    too_many = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = worded("Name")
        self.fields["username"].widget.attrs.update(autocapitalize="none", spellcheck="false")

    def clean(self) -> dict[str, Any]:
        username, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if username and password:
            try:
                self.user_cache = sign_in.authenticate_player(self.request, username=username, password=password)
            except sign_in.SignInRefused as error:
                self.too_many = error.status == 429
                raise ValidationError(error.message, code=error.code) from error
            self.confirm_login_allowed(self.user_cache)
        return self.cleaned_data


class DisplayNameForm(forms.ModelForm):  # type: ignore[type-arg]
    """The display name and the picture; the name of another player is refused."""

    class Meta:
        model = Player
        fields = ["display_name", "avatar"]
        labels = {"display_name": worded_later("Display name")}
        widgets = {"avatar": forms.RadioSelect}

    def clean_display_name(self) -> str:
        name: str = self.cleaned_data["display_name"]
        if name and _belongs_to_another(name, self.instance):
            raise ValidationError(worded("This name belongs to another player."), code="taken")
        return name


def _belongs_to_another(name: str, player: Player) -> bool:
    others = Player.objects.exclude(pk=player.pk)
    return others.filter(username__iexact=name).exists() or others.filter(display_name__iexact=name).exists()
