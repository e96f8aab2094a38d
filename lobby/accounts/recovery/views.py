"""Pages of the forgotten password and of recovery codes."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from lobby.accounts import sign_in
from lobby.accounts.models import Player
from lobby.accounts.recovery import codes
from lobby.accounts.recovery.forms import ForgottenForm, OwnPasswordForm
from wallet.language import worded


@sensitive_post_parameters("code", "password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten(request: HttpRequest) -> HttpResponseBase:
    """Set a new password against a recovery code, and lead to the sign-in."""
    form, status = ForgottenForm(request.POST or None), 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                chosen = form.cleaned_data
                name, password = chosen["username"], chosen["password"]
                codes.set_forgotten(request, username=name, given=chosen["code"], password=password)
            except sign_in.SignInRefused as refusal:
                form.add_error(None, refusal.message)
                status = refusal.status
            else:
                messages.success(request, worded("Your new password is set. Sign in with it."))
                return redirect("lobby:login")
    return render(request, "registration/forgotten.html", {"form": form}, status=status)


@sensitive_post_parameters("password")
@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def password_codes(request: HttpRequest) -> HttpResponseBase:
    """Make new recovery codes against the password, and show them this once."""
    assert isinstance(request.user, Player)
    if request.user.is_guest:
        return redirect("lobby:signup")
    form, status = OwnPasswordForm(request.POST or None), 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                name, password = request.user.username, form.cleaned_data["password"]
                player = sign_in.checked(request, username=name, password=password)
                return show_codes(request, codes.new_codes(player), reverse("lobby:account"))
            except sign_in.SignInRefused as refusal:
                too_many = refusal.status == 429
                form.add_error("password", refusal.message if too_many else worded("This is not your password."))
                status = refusal.status
    context = {"form": form, "left": codes.codes_left(request.user)}
    return render(request, "registration/password_codes.html", context, status=status)


def show_codes(request: HttpRequest, made: list[str], on: str) -> HttpResponse:
    """Show the codes, with a way `on`: nobody sees them again."""
    answer = render(request, "registration/codes_shown.html", {"codes": made, "next": on})
    answer["Cache-Control"] = "no-store, private"
    return answer
