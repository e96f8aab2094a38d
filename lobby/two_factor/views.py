"""Pages on which staff set up their authenticator, enter its codes, and get recovery codes."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from lobby.two_factor import services, sessions, totp
from lobby.two_factor.codes import picture_of
from wallet.base.api import player_of

ISSUER = "Thirteen"


def _code_field(help_text: str, **attributes: Any) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "one-time-code", **attributes})
    return forms.CharField(max_length=40, label="Code", help_text=help_text, widget=widget)


class AppCodeForm(forms.Form):
    code = _code_field("Six digits from your authenticator app.", inputmode="numeric")


class CodeForm(forms.Form):
    # A recovery code has letters.
    code = _code_field(
        "Six digits from your authenticator app, or one of your recovery codes.", inputmode="text", autofocus=True
    )


@sessions.open_without_code
@sensitive_post_parameters("code")
@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def code(request: HttpRequest) -> HttpResponseBase:
    """Ask for the code, then redirect to `next`; staff without an authenticator set one up here."""
    user = _staff_user(request)
    enrolled = services.is_enrolled(user)
    form = (CodeForm if enrolled else AppCodeForm)(request.POST or None)
    status = 200
    if request.method == "POST" and form.is_valid():
        try:
            entered = form.cleaned_data["code"]
            if not enrolled:
                codes = services.confirm_enrolment(user, entered, request)
                sessions.mark_verified(request)
                return _recovery(request, codes)
            services.check_code(user, entered, request)
            sessions.mark_verified(request)
            return redirect(sessions.next_address(request, "/admin/"))
        except services.CodeRefused as refusal:
            form.add_error("code", refusal.message)
            status = refusal.status
    elif request.method == "POST":
        status = 400
    return _page(request, user, form, enrolled, status)


@sessions.open_without_code
@never_cache
@login_required
@require_GET
def picture(request: HttpRequest) -> HttpResponse:
    """Return the QR code of an enrolment that is not confirmed yet, as SVG; afterwards the secret is never shown."""
    user = _staff_user(request)
    if services.is_enrolled(user):
        raise Http404("There is nothing to scan.")
    return picture_of(totp.enrolment_address(services.pending_secret(user), user.get_username(), ISSUER))


@sensitive_post_parameters("code")
@never_cache
@login_required
@require_POST
def recovery(request: HttpRequest) -> HttpResponseBase:
    """Show new recovery codes in exchange for a code of the app, in a session that has the second factor already."""
    user = _staff_user(request)
    form = AppCodeForm(request.POST)
    status = 400
    if form.is_valid():
        try:
            return _recovery(request, services.new_recovery_codes(user, form.cleaned_data["code"], request))
        except services.CodeRefused as refusal:
            messages.error(request, refusal.message)
            status = refusal.status
    return _page(request, user, CodeForm(), services.is_enrolled(user), status)


def _page(request: HttpRequest, user: AbstractBaseUser, form: forms.Form, enrolled: bool, status: int) -> HttpResponse:
    context = {
        "form": form,
        "app_form": AppCodeForm(auto_id="app-%s"),
        "next": sessions.next_address(request, "/admin/"),
        "proved": sessions.VERIFIED_AT in request.session,
        "left": services.recovery_codes_left(user),
    }
    if enrolled:
        return render(request, "registration/code.html", context, status=status)
    letters = totp.in_letters(services.pending_secret(user))
    return render(request, "registration/enrol.html", {**context, "letters": letters}, status=status)


def _recovery(request: HttpRequest, codes: list[str]) -> HttpResponse:
    return render(
        request, "registration/recovery.html", {"codes": codes, "next": sessions.next_address(request, "/admin/")}
    )


def _staff_user(request: HttpRequest) -> AbstractBaseUser:
    """Return the user if they are of the staff and codes are asked for; otherwise 404."""
    user = player_of(request)
    if not settings.STAFF_TOTP or not services.needs_code(user):
        raise Http404("Codes are for staff.")
    return user
