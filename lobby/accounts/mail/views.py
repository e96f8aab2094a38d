"""Pages of the account's e-mail address."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render

from lobby.accounts import sign_in
from lobby.accounts.forms import AddressForm
from lobby.accounts.mail import addresses
from lobby.accounts.mail.sending import MailRefused, is_configured
from lobby.accounts.models import Player, SignIn
from lobby.accounts.own_pages import form_page, own_page
from wallet.base import rate_limits
from wallet.base.errors import Refusal
from wallet.base.rate_limits import RateLimit
from wallet.language import gettext as _

#: Links that one account may have sent within an hour, to all addresses together.
PROOFS = RateLimit("email-proof", 5, 3_600)


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
                context = {"address": addresses.read_token(token, player), "name": player.username}
                return render(request, "registration/email_proof.html", context)
            address = addresses.confirm_address(token, player, request)
    except addresses.VoidLink as refusal:
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
            addresses.set_address(player, "", request)
        messages.success(request, _("Your account has no e-mail address."))
    elif address == player.email:
        messages.info(request, _("{address} is confirmed.", address=address))
    else:
        if not rate_limits.count_tries([(PROOFS, PROOFS.key(player.pk))]):
            raise MailRefused("too_many_attempts", sign_in.TOO_MANY, status=429)
        addresses.queue_confirmation(player, address)
        messages.success(
            request,
            _("Open the link that we have sent to {address}. Until then nothing changes.", address=address),
        )
    return redirect("lobby:account")
