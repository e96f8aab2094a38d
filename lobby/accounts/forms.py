"""Forms of the account."""

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet, Value
from django.http import HttpRequest

from lobby.accounts import sign_in
from lobby.accounts.models import Player
from lobby.accounts.names import USERNAME_HELP, Outline, are_alike, is_kept_back, not_reserved, spellings, tidy
from lobby.accounts.passwords import LONGEST
from wallet.language import gettext as _, gettext_lazy


class AskingForm(forms.BaseForm):
    """A form that asks for what is missing: what Django says of an empty field is about the form."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if field.error_messages["required"] == forms.Field.default_error_messages["required"]:
                field.error_messages["required"] = _("Please fill this in.")


def _new_password_field(label: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        min_length=8,
        max_length=LONGEST,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=gettext_lazy("At least 8 characters. A few words in a row are good."),
    )


class NameField(forms.CharField):
    """A name, in the one form in which it is stored."""

    def to_python(self, value: Any) -> Any:
        return tidy(super().to_python(value) or "")


class SignUpForm(AskingForm, forms.ModelForm):  # type: ignore[type-arg]
    """The name and password of a new account; reserved names and other players' names are refused."""

    password = _new_password_field(gettext_lazy("Password"))

    class Meta:
        model = Player
        fields = ["username"]
        field_classes = {"username": NameField}
        labels = {"username": gettext_lazy("Name")}
        help_texts = {"username": USERNAME_HELP}
        widgets = {
            "username": forms.TextInput(
                attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false", "autofocus": True}
            )
        }

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        not_reserved(username)
        if belongs_to_another(username, self.instance):
            raise ValidationError(_("This name is taken. Please choose another."), code="taken")
        return username

    def _post_clean(self) -> None:
        # Only now does the instance have its name, with which the password is compared.
        super()._post_clean()  # type: ignore[misc]
        _check_new_password(self, self.instance)


class SignInForm(AskingForm, AuthenticationForm):
    """Name and password, for the pages and the admin; failures are counted together with those of the API."""

    remember = forms.BooleanField(label=gettext_lazy("Keep me signed in on this device"), required=False, initial=True)

    too_many = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("Name")
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


class OwnPasswordChangeForm(AskingForm, PasswordChangeForm):
    """One's own password and a new one, for the page and the admin; a wrong one is counted like a failed sign-in."""

    #: For the pages of staff, which mark what is required.
    required_css_class = "required"
    too_many = False

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._request = request
        # Django's own is a list; pages show the help of a field as one text.
        self.fields["new_password1"].help_text = " ".join(password_validation.password_validators_help_texts())

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        try:
            sign_in.check_own_password(self._request, password)
        except sign_in.SignInRefused as refusal:
            self.too_many = refusal.status == 429
            raise ValidationError(refusal.message, code=refusal.code) from refusal
        return password


#: Whether one has a profile page and is found by name, and what is hidden on that page.
PROFILE_FIELDS = ("has_profile", "is_findable", "hides_matches", "hides_places", "hides_friends", "hides_deals")


class DisplayNameForm(forms.ModelForm):  # type: ignore[type-arg]
    """The display name and the picture; the name of another player is refused. Nobody loses the name they have."""

    class Meta:
        model = Player
        fields = ["display_name", "avatar", "forbids_watching", "shares_deals", "hides_rating", *PROFILE_FIELDS]
        field_classes = {"display_name": NameField}
        labels = {"display_name": gettext_lazy("Display name")}
        widgets = {"avatar": forms.RadioSelect}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.is_guest:
            for name in PROFILE_FIELDS:
                del self.fields[name]
        self._is_kept = bool(self.data) and self.data.get("display_name", "").strip() == self.instance.display_name
        if self._is_kept:
            self.fields["display_name"].validators = []

    def _get_validation_exclusions(self) -> set[str]:
        exclusions: set[str] = super()._get_validation_exclusions()  # type: ignore[misc]
        return exclusions | ({"display_name"} if self._is_kept else set())

    def clean_display_name(self) -> str:
        name: str = self.cleaned_data["display_name"]
        if name and not self._is_kept and belongs_to_another(name, self.instance):
            raise ValidationError(_("This name belongs to another player."), code="taken")
        return name


class OwnPasswordForm(AskingForm, forms.Form):
    """The password of the signed-in player, to confirm an act."""

    password = forms.CharField(
        label=gettext_lazy("Password"),
        max_length=LONGEST,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class AddressForm(OwnPasswordForm):
    """An e-mail address, or none, and the password."""

    field_order = ("email", "password")

    email = forms.EmailField(
        label=gettext_lazy("E-mail address"),
        required=False,
        max_length=254,
        help_text=gettext_lazy("Leave it empty to use none."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class ForgottenForm(AskingForm, forms.Form):
    """Name, code and new password. What is refused does not depend on whether anybody has the name."""

    username = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )
    code = forms.CharField(
        label=gettext_lazy("Recovery code"),
        max_length=40,
        help_text=gettext_lazy("One of those that you were shown when you signed up, or made on your account page."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    password = _new_password_field(gettext_lazy("New password"))

    def clean(self) -> dict[str, Any]:
        _check_new_password(self, Player(username=self.cleaned_data.get("username", "")))
        return self.cleaned_data


def _check_new_password(form: forms.BaseForm, player: Player) -> None:
    """Note at the field why the password cannot be the player's."""
    if password := form.cleaned_data.get("password"):
        try:
            password_validation.validate_password(password, player)
        except ValidationError as error:
            form.add_error("password", error)


def named_like(name: str, player: Player) -> QuerySet[Player]:
    """Return the other players among whom are all who have such a name."""
    outlines = [Outline(Value(each)) for each in spellings(name)]
    others = Player.objects.exclude(pk=player.pk)
    outlined = others.alias(outline=Outline("username"), shown_outline=Outline("display_name"))
    return outlined.filter(Q(outline__in=outlines) | Q(shown_outline__in=outlines))


def belongs_to_another(name: str, player: Player) -> bool:
    """Return whether somebody else has this name or one like it, or had it until lately."""
    similar = named_like(name, player).values_list("username", "display_name")
    taken = any(each and are_alike(name, each) for names in similar for each in names)
    return taken or is_kept_back(name)
