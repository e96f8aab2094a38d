"""Pages of the forgotten password and of recovery codes."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import INTERNAL_RESET_SESSION_TOKEN, PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from lobby.accounts import sign_in
from lobby.accounts.forms import AskingForm, ForgottenForm, OwnPasswordForm
from lobby.accounts.mail import is_configured
from lobby.accounts.models import Player, SignIn
from lobby.accounts.own_pages import form_page, own_page
from lobby.accounts.recovery import by_mail, codes
from wallet.base.errors import Refusal
from wallet.language import gettext as _, gettext_lazy

#: The code of the refusal of a link that opens nothing.
VOID = "void_link"
NEW_PASSWORD_SET = gettext_lazy("Your new password is set. Sign in with it.")


@sensitive_post_parameters("code", "password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten(request: HttpRequest) -> HttpResponseBase:
    """Set a new password in exchange for a recovery code, and lead to the sign-in."""

    def set_password(fields: dict[str, Any]) -> HttpResponse:
        codes.reset_password(request, username=fields["username"], code=fields["code"], password=fields["password"])
        messages.success(request, NEW_PASSWORD_SET)
        return redirect("lobby:login")

    form = ForgottenForm(request.POST or None)
    return form_page(request, "registration/forgotten.html", form, set_password, by_mail=is_configured())


@require_http_methods(["GET", "HEAD", "POST"])
def request_link(request: HttpRequest) -> HttpResponseBase:
    """Have a link sent by e-mail; the answer is the same whether anybody has the address or not."""
    if not is_configured():
        return redirect("lobby:forgotten")

    def order_link(fields: dict[str, Any]) -> HttpResponse:
        by_mail.queue_reset_link(request, fields["email"])
        text = _("If an account has this address, a link is on its way there. It opens for ten minutes.")
        messages.success(request, text)
        return redirect("lobby:login")

    form = by_mail.ResetForm(request.POST if request.method == "POST" else None)
    return form_page(request, "registration/forgotten_by_mail.html", form, order_link)


class NewPasswordForm(AskingForm, SetPasswordForm):  # type: ignore[type-arg]
    """A new password, twice."""


class ResetPasswordPage(PasswordResetConfirmView):
    """The page of the link sent by e-mail, which sets a new password once."""

    form_class = NewPasswordForm
    template_name = "registration/forgotten_link.html"
    success_url = reverse_lazy("lobby:login")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Count and record void links."""
        limits, player = sign_in.link_limits(request), self.get_user(kwargs["uidb64"])
        try:
            with sign_in.tries_counted(
                request, limits, how=SignIn.How.LINK, wrong=VOID, player_id=player.pk if player is not None else None
            ):
                response = super().dispatch(request, *args, **kwargs)
                if response.status_code != 302 and not self.validlink:
                    raise Refusal(VOID, "")
        except sign_in.SignInRefused:
            return render(request, "429.html", status=429)
        except Refusal as refusal:
            if refusal.code != VOID:
                raise
            if request.method == "POST":
                response.status_code = 400
        return response

    def get_user(self, uidb64: str) -> Player | None:
        """Return the player of the link; None for one who is locked, too."""
        player: Player | None = super().get_user(uidb64)
        return player if player is not None and player.is_active else None

    def form_valid(self, form: Any) -> HttpResponse:
        password, token = form.cleaned_data["new_password1"], self.request.session[INTERNAL_RESET_SESSION_TOKEN]
        is_set = by_mail.set_new_password(self.request, form.user, password, token)
        del self.request.session[INTERNAL_RESET_SESSION_TOKEN]
        if not is_set:
            self.validlink = False
            return self.form_invalid(form)
        messages.success(self.request, NEW_PASSWORD_SET)
        return redirect(self.get_success_url())

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)


@own_page
def password_codes(request: HttpRequest, player: Player) -> HttpResponseBase:
    """Make new recovery codes after checking the password, and show them only this once."""

    def make(fields: dict[str, Any]) -> HttpResponse:
        checked = sign_in.check_own_password(request, fields["password"])
        return show_codes(request, codes.new_codes(checked), reverse("lobby:account"))

    form, left = OwnPasswordForm(request.POST or None), codes.codes_left(player)
    return form_page(request, "registration/password_codes.html", form, make, left=left)


@login_required
@require_POST
def codes_later(request: HttpRequest) -> HttpResponse:
    """Dismiss the offer of recovery codes."""
    codes.dismiss_offer(sign_in.signed_in_player(request))
    return redirect("lobby:lobby")


def show_codes(request: HttpRequest, recovery_codes: list[str], next_url: str) -> HttpResponse:
    """Show the codes, for the only time, with a link to `on`."""
    response = render(request, "registration/codes_shown.html", {"codes": recovery_codes, "next": next_url})
    response["Cache-Control"] = "no-store, private"
    return response
