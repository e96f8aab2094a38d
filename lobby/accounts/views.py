"""Pages of the account: sign up, sign in, sign out, name, password and e-mail address."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from lobby.accounts import devices, guests, mail, services, sign_in
from lobby.accounts.forms import AddressForm, DisplayNameForm, OwnPasswordChangeForm, SignInForm, SignUpForm
from lobby.accounts.mail import MailRefused, is_configured
from lobby.accounts.models import Player, SignIn
from lobby.accounts.names import lock_names
from lobby.accounts.own_pages import form_page, own_page
from lobby.accounts.recovery import codes
from lobby.accounts.recovery.views import show_codes
from lobby.accounts.sign_in import too_many_sign_ups
from lobby.two_factor import sessions
from wallet.base import rate_limits
from wallet.base.errors import Refusal
from wallet.base.rate_limits import RateLimit
from wallet.language import gettext as _, translatable
from wallet.responsible_gaming import admission

BACKEND = "django.contrib.auth.backends.ModelBackend"
WELCOME, WELCOME_AFTER_GUEST = translatable(
    (
        "Welcome, {name}. Your chips are in your wallet.",
        "Welcome, {name}. Your chips and your history are yours to keep.",
    )
)
#: Links that one account may have sent within an hour, to all addresses together.
PROOFS = RateLimit("email-proof", 5, 3_600)


class SignInPage(LoginView):
    """The page of sign-in: one message for a wrong name and for a wrong password, 429 after too many failures."""

    authentication_form = SignInForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Redirect players who are signed in already, but let guests sign in to another account."""
        self.redirect_authenticated_user = not guest_of(request)
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        sessions.keep_signed_in(self.request, remember=form.cleaned_data["remember"])
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=429 if form.too_many else 400)


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponseBase:
    """Create an account with its chips, sign it in, and show its recovery codes with a link on to `next`.

    A guest's account becomes a named one and keeps everything that is theirs.
    """
    next_url, guest = sessions.next_address(request, reverse("lobby:lobby")), guest_of(request)
    if request.user.is_authenticated and guest is None:
        return redirect(next_url)
    form = SignUpForm(request.POST or None)
    status = 200
    if request.method == "POST":
        if too_many_sign_ups(request):
            status = 429
            form.add_error(None, _("Too many new accounts from here. Please wait a minute."))
        elif form.is_valid() and (player := _create_player(form, guest)) is not None:
            login(request, player, backend=BACKEND)
            welcome = WELCOME if guest is None else WELCOME_AFTER_GUEST
            messages.success(request, _(welcome, name=player.shown_name))
            return show_codes(request, codes.new_codes(player), next_url)
        else:
            status = 400
    context = {"form": form, "next": next_url, "guest": guest}
    return render(request, "registration/signup.html", context, status=status)


def guest_of(request: HttpRequest) -> Player | None:
    """Return the guest who makes the request; None for a visitor and for a named player."""
    user = request.user
    return user if isinstance(user, Player) and user.is_guest else None


def _create_player(form: SignUpForm, guest: Player | None) -> Player | None:
    credentials = {"username": form.cleaned_data["username"], "password": form.cleaned_data["password"]}
    try:
        return services.sign_up(**credentials) if guest is None else guests.name_guest(guest=guest, **credentials)
    except IntegrityError:
        # Somebody else took the name between the check and the insert.
        form.add_error("username", _("This name is taken. Please choose another."))
    except guests.AlreadyNamed as refusal:
        form.add_error(None, refusal.message)
    return None


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponseBase:
    """Show and change the name and picture that others see."""
    assert isinstance(request.user, Player)
    sent = request.POST if request.method == "POST" else None
    form = DisplayNameForm(sent, instance=Player.objects.get(pk=request.user.pk))
    try:
        if request.method == "POST" and _saved_name(form):
            messages.success(request, _("Saved. Tables show your name as it is now from your next seat on."))
            return redirect("lobby:account")
    except Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("lobby:account")
    context = {"form": form, "by_mail": is_configured(), "recoveries": codes.recoveries_of(request.user)}
    return render(request, "registration/account.html", context, status=400 if form.errors else 200)


@transaction.atomic
def _saved_name(form: DisplayNameForm) -> bool:
    """Save the form if it is valid: whoever wants the same name at the same moment waits, and then finds it taken.

    WalletError `locked` where the account is closed meanwhile.
    """
    admission.lock_player_row(form.instance.pk)
    admission.check_account_open(form.instance)
    lock_names()
    if valid := form.is_valid():
        form.save()
    return valid


class PasswordChangePage(PasswordChangeView):
    """Set a new password, here and in the admin. Other sessions and every API token end; this session stays."""

    form_class = OwnPasswordChangeForm
    template_name = "registration/password_change.html"
    success_url = reverse_lazy("lobby:account")

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}

    def form_valid(self, form: Any) -> HttpResponse:
        password_hash = services.new_hash(form.cleaned_data["new_password1"])
        with transaction.atomic():
            services.change_hash(player=form.user, password_hash=password_hash)
            services.note_own_password(self.request)
        update_session_auth_hash(self.request, form.user)
        devices.remember(self.request, form.user)
        messages.success(self.request, _("Your password is changed. Other devices are signed out."))
        return redirect(self.get_success_url())

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=429 if form.too_many else 400)


@own_page
def password_change(request: HttpRequest, player: Player) -> HttpResponseBase:
    """Set a new password."""
    return PasswordChangePage.as_view()(request)


@own_page
def address(request: HttpRequest, player: Player) -> HttpResponseBase:
    """Show the form of the e-mail address; on POST, after checking the password, change or remove it."""
    if not is_configured():
        return redirect("lobby:account")

    def change(fields: dict[str, Any]) -> HttpResponse:
        return _change_address(request, sign_in.check_own_password(request, fields["password"]), fields["email"])

    form = AddressForm(request.POST or None, initial={"email": player.email})
    return form_page(request, "registration/email.html", form, change)


@own_page
def email_proof(request: HttpRequest, player: Player, token: str) -> HttpResponseBase:
    """Ask whether the address of the link is theirs: in their own session, so that the link alone changes nothing.

    Only a POST confirms, so a program that opens links does not.
    """
    try:
        limits = sign_in.link_limits(request)
        with sign_in.tries_counted(request, limits, how=SignIn.How.LINK, wrong="void_link", player_id=player.pk):
            if request.method != "POST":
                context = {"address": mail.read_token(token, player), "name": player.username}
                return render(request, "registration/email_proof.html", context)
            address = mail.confirm_address(token, player, request)
    except mail.VoidLink as refusal:
        return render(request, "registration/email_proof.html", {"void": refusal.message}, status=refusal.status)
    except sign_in.SignInRefused:
        return render(request, "429.html", status=429)
    except Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("{address} is confirmed.", address=address))
    return redirect("lobby:account")


def _change_address(request: HttpRequest, player: Player, address: str) -> HttpResponse:
    """Remove the address, or have a link sent to the new one; the caller has checked the password."""
    if not address:
        if player.email:
            mail.set_address(player, "", request)
        messages.success(request, _("Your account has no e-mail address."))
    elif address == player.email:
        messages.info(request, _("{address} is confirmed.", address=address))
    else:
        if not rate_limits.count_tries([(PROOFS, PROOFS.key(player.pk))]):
            raise MailRefused("too_many_attempts", sign_in.TOO_MANY, status=429)
        mail.queue_confirmation(player, address)
        messages.success(
            request, _("Open the link that we have sent to {address}. Until then nothing changes.", address=address)
        )
    return redirect("lobby:account")
