"""Setting a forgotten password by e-mail: Django's own links, sent to the confirmed address of an account.

Every request is handed to a worker, so neither the answer nor its delay reveals whether anybody has that address.
"""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import get_language, override

from lobby.accounts import services as accounts
from lobby.accounts.devices import player_known_on
from lobby.accounts.forms import AskingForm
from lobby.accounts.mail import deliver, order_mail
from lobby.accounts.models import MailOrder, Player, SignIn
from lobby.accounts.recovery import codes
from lobby.accounts.sign_in import TOO_MANY, SignInRefused
from wallet.audit_log.services import client_address, of_request, record
from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit
from wallet.language import ENGLISH, gettext as _, gettext_lazy

#: Requests for links within an hour: for one e-mail address, from all strangers together or by its owner, and from one
#: network address, which many may share.
TO, FROM = RateLimit("reset-to", 3, 3_600), RateLimit("reset-from", 60, 3_600)


#: Days for which a network stays one of the player's own after a sign-in from it.
OWN_NETWORK_DAYS = 30


class ResetForm(AskingForm, PasswordResetForm):
    """The address whose account is to get a new password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = gettext_lazy("E-mail address")

    def send_mail(
        self,
        subject_template_name: str,
        email_template_name: str,
        context: dict[str, Any],
        from_email: str | None,
        to_email: str,
        html_email_template_name: str | None = None,
    ) -> None:
        """Send the link in the language of the account, by default in that of the request."""
        with override(context["user"].language or context["language"]):
            _send_link(context, to_email)


def queue_reset_link(request: HttpRequest, address: str) -> None:
    """Have a link sent to the address, if anybody has it. SignInRefused after too many requests; MailRefused.

    Strangers cannot keep the owner from it: when they have used the count up, requests on a device or from a network of
    the owner's have one of their own. Only then is the address looked up, and only the owner learns anything by it.
    """
    wanted, from_here = address.strip().lower(), (FROM, FROM.key(client_address(request)))
    if not rate_limits.count_tries([(TO, TO.key(wanted)), from_here]):
        by_owner = [(TO, TO.key(wanted, "by the owner")), from_here]
        if not _is_owners(request, wanted) or not rate_limits.count_tries(by_owner):
            raise SignInRefused("too_many_attempts", TOO_MANY, status=429)
    order_mail("mail_reset", address, get_language() or ENGLISH)


def _is_owners(request: HttpRequest, address: str) -> bool:
    """Return whether the owner of the e-mail address has signed in on this device, or from this network, before."""
    player, since = player_known_on(request), timezone.now() - timedelta(days=OWN_NETWORK_DAYS)
    if player is not None and player.email.lower() == address:
        return True
    sign_ins = SignIn.objects.filter(player__email__iexact=address, player__is_active=True, succeeded=True)
    network = client_address(request)
    return network is not None and sign_ins.filter(address=network, at__gt=since).exists()


def send_reset_links(order: MailOrder) -> None:
    """Send a link to each account of that address. For a worker."""
    form = ResetForm({"email": order.address})
    if form.is_valid():
        context = {"language": order.language}
        form.save(domain_override=urlsplit(settings.EMAIL_SITE).netloc, extra_email_context=context)


def send_support_link(player: Player) -> None:
    """Send a link to the player's confirmed address, on behalf of support. For a worker."""
    uid = urlsafe_base64_encode(force_bytes(player.pk))
    context = {
        "uid": uid, "token": default_token_generator.make_token(player), "user": player,
    }  # fmt: skip
    with override(player.language or ENGLISH):
        _send_link(context, player.email)


def set_new_password(request: HttpRequest, player: Player, password: str, token: str) -> bool:
    """Set the new password of the account of the link, and record the act in the trail; sessions and tokens end.

    False where the link is void by now: another request has used it at the same moment.
    """
    password_hash = accounts.new_hash(password)
    with transaction.atomic():
        player = Player.objects.select_for_update().get(pk=player.pk)
        if not default_token_generator.check_token(player, token):
            return False
        accounts.change_hash(player=player, password_hash=password_hash)
        actor = of_request(request, player)
        record(actor, codes.ACT, player, after={"password": "(set)", "with": "a link by e-mail"})
    return True


def _send_link(context: dict[str, Any], to: str) -> None:
    link = reverse("lobby:reset", kwargs={"uidb64": context["uid"], "token": context["token"]})
    deliver(
        to,
        _("a new password"),
        _("Somebody, most likely you, has forgotten the password of the account {name}.",
               name=context["user"].username),
        _("This page sets a new one. It opens once, within ten minutes:"),
        settings.EMAIL_SITE + link,
        _("If it was not you, do nothing: your password stays as it is."),
    )  # fmt: skip
