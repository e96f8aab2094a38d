"""The pages on which players get their own data and close their account."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from lobby.account_data import closing, own_sessions
from lobby.account_data.data import data_file
from lobby.accounts import sign_in
from lobby.accounts.forms import OwnPasswordForm
from lobby.accounts.models import Player
from lobby.accounts.own_pages import form_page, own_page
from lobby.accounts.sign_in import signed_in_player
from lobby.two_factor import services as two_factor
from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit
from wallet.language import gettext as _, gettext_lazy

#: Files that one player may download within an hour: each reads all of their rows.
FILES = RateLimit("own-data", 5, 3_600)


class ClosingForm(OwnPasswordForm):
    """The password, a code of the authenticator where there is one, and a box to tick."""

    field_order = ("password", "code", "sure")

    code = forms.CharField(
        label=gettext_lazy("Code of your authenticator"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autocapitalize": "none"}),
    )
    sure = forms.BooleanField(
        label=gettext_lazy("I know that nobody can open this account again."),
        error_messages={"required": gettext_lazy("Please tick this box if you are sure.")},
    )

    def __init__(self, *args: Any, with_code: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not with_code:
            del self.fields["code"]


@login_required
@require_POST
def own_data(request: HttpRequest) -> HttpResponseBase:
    """Return the file with the player's own data; redirect to the account after too many of them."""
    player = signed_in_player(request)
    if not rate_limits.count_tries([(FILES, FILES.key(player.pk))]):
        messages.error(request, _("You have taken this file often enough for now. Please try again in an hour."))
        return redirect("lobby:account")
    return data_file(player)


@own_page
def close(request: HttpRequest, player: Player) -> HttpResponseBase:
    """Show what closing the account means; on POST, after checking the password, close it for good."""

    def close_for_good(fields: dict[str, Any]) -> HttpResponseBase:
        sign_in.check_own_password(request, fields["password"])
        if "code" in fields:
            two_factor.check_code(player, fields["code"], request)
        closing.close_account(player, request)
        logout(request)
        messages.success(request, _("Your account is closed. Thank you for playing with us."))
        return redirect("lobby:lobby")

    form = ClosingForm(request.POST or None, with_code=two_factor.is_enrolled(player))
    unfinished = closing.unfinished(player)
    return form_page(request, "registration/close.html", form, close_for_good, unfinished=unfinished)


@own_page
def sessions_page(request: HttpRequest, player: Player) -> HttpResponseBase:
    """List what lets somebody in; on POST, after checking the password, end one session, all others, or the token."""

    def end(fields: dict[str, Any]) -> HttpResponse:
        sign_in.check_own_password(request, fields["password"])
        chosen = request.POST.get("end", "")
        if chosen == "token":
            own_sessions.end_token(player)
        elif chosen == "others":
            own_sessions.end_sessions(player, keep=request.session.row_key)  # type: ignore[attr-defined]
            own_sessions.end_token(player)
        elif chosen in {session.key for session in running}:
            own_sessions.end_sessions(player, key=chosen)
        else:
            messages.info(request, _("It was signed out already."))
            return redirect("lobby:sessions")
        messages.success(request, _("Signed out there."))
        return redirect("lobby:sessions")

    running, token = own_sessions.own_sessions(player, request), own_sessions.own_token(player)
    form = OwnPasswordForm(request.POST or None)
    return form_page(request, "registration/sessions.html", form, end, sessions=running, token=token)
