"""The pages on which players get their own data and close their account."""

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from lobby.accounts import sign_in
from lobby.accounts.sign_in import signed_in_player
from lobby.personal import closing
from lobby.personal.data import data_file
from lobby.personal.forms import ClosingForm
from lobby.two_factor import services as two_factor
from wallet.base import rate_limits
from wallet.base.errors import Refusal
from wallet.base.rate_limits import RateLimit
from wallet.language import worded

#: Files that one player may download within an hour: each reads all of their rows.
FILES = RateLimit("own-data", 5, 3_600)


@login_required
@require_POST
def own_data(request: HttpRequest) -> HttpResponseBase:
    """Return the file with the player's own data; redirect to the account after too many of them."""
    player = signed_in_player(request)
    if not rate_limits.count_tries([(FILES, FILES.key(player.pk))]):
        messages.error(request, worded("You have taken this file often enough for now. Please try again in an hour."))
        return redirect("lobby:account")
    return data_file(player)


@sensitive_post_parameters("password", "code")
@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def close(request: HttpRequest) -> HttpResponseBase:
    """Show what closing the account means; on POST, after checking the password, close it for good."""
    player = signed_in_player(request)
    if player.is_guest:
        return redirect("lobby:signup")
    form, status = ClosingForm(request.POST or None, with_code=two_factor.is_enrolled(player)), 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                sign_in.check_own_password(request, form.cleaned_data["password"])
                if "code" in form.fields:
                    two_factor.check_code(player, form.cleaned_data["code"])
                closing.close_account(player, request)
            except Refusal as refusal:
                form.add_error(None, refusal.message)
                status = refusal.status
            else:
                logout(request)
                messages.success(request, worded("Your account is closed. Thank you for playing with us."))
                return redirect("lobby:lobby")
    context = {"form": form, "unfinished": closing.unfinished(player)}
    return render(request, "registration/close.html", context, status=status)
