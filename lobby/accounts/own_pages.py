"""What the pages of an account have in common that ask for a password or a code."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from lobby.accounts.forms import OwnPasswordForm
from lobby.accounts.sign_in import SignInRefused, signed_in_player
from wallet.base.errors import Refusal

OwnPage = Callable[..., HttpResponseBase]


def own_page(view: OwnPage) -> Callable[..., HttpResponseBase]:
    """Give the view the signed-in player, and lead guests to the sign-up. Error reports omit what was posted."""

    @sensitive_post_parameters()
    @never_cache
    @login_required
    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(view)
    def page(request: HttpRequest, **of_address: str) -> HttpResponseBase:
        player = signed_in_player(request)
        return redirect("lobby:signup") if player.is_guest else view(request, player, **of_address)

    return page


def form_page(
    request: HttpRequest,
    template: str,
    form: BaseForm,
    act: Callable[[dict[str, Any]], HttpResponseBase],
    **context: Any,
) -> HttpResponseBase:
    """Answer a valid form with what `act` makes of its fields; otherwise show it, with what was wrong.

    Where players confirm an act by their password, a wrong one is told at its field, any other refusal above the form.
    """
    status = 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                return act(form.cleaned_data)
            except Refusal as refusal:
                is_own_password = isinstance(form, OwnPasswordForm) and isinstance(refusal, SignInRefused)
                form.add_error("password" if is_own_password else None, refusal.message)
                status = refusal.status
    return render(request, template, {"form": form, **context}, status=status)
