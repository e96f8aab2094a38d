"""Actions at sign-in and sign-out, by signals, since pages, API and admin each sign in and out differently."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.http import HttpRequest

from lobby.accounts import devices, sign_in
from lobby.accounts.models import Player, SignIn
from lobby.accounts.recovery import codes
from lobby.two_factor import sessions
from lobby.two_factor.services import code_failed
from tables.play import broadcast
from wallet.base.report_zone import format_moment
from wallet.language import gettext as _


def connect_signals() -> None:
    """Connect the functions below to Django's signals; called once, when the application is ready."""
    user_logged_in.connect(begin_session, dispatch_uid="lobby.begin_session")
    user_logged_in.connect(note_sign_in, dispatch_uid="lobby.note_sign_in")
    user_logged_in.connect(warn_of_recoveries, dispatch_uid="lobby.warn_of_recoveries")
    user_logged_in.connect(remember_device, dispatch_uid="lobby.remember_device")
    code_failed.connect(note_wrong_code, dispatch_uid="lobby.note_wrong_code")
    user_logged_out.connect(close_sockets, dispatch_uid="lobby.close_sockets")


def begin_session(sender: Any, request: HttpRequest | None, user: AbstractBaseUser, **_signal: Any) -> None:
    """Start the clock of the session; it has no second factor yet."""
    sessions.begin(request)


def note_sign_in(sender: Any, request: HttpRequest | None, user: AbstractBaseUser, **_signal: Any) -> None:
    """Record the sign-in with its address, and in the session which one it was."""
    noted = sign_in.note_attempt(request, user.pk, how=SignIn.How.SESSION)
    if request is not None:
        request.session[sessions.SIGN_IN] = noted.pk


def warn_of_recoveries(sender: Any, request: HttpRequest | None, user: AbstractBaseUser, **_signal: Any) -> None:
    """Warn the player of recoveries on their next page, until they have seen it with a factor of their own."""
    if request is None or not isinstance(user, Player):
        return
    for recovery in codes.announced(user)[:1]:
        text = _(
            "Our staff let you back into your account on {moment}. If you had not asked for it, change your password,"
            " and your e-mail address if it is not yours.",
            moment=format_moment(recovery.issued_at),
        )
        messages.warning(request, text, fail_silently=True)


def note_wrong_code(sender: Any, request: HttpRequest, user: AbstractBaseUser, **_signal: Any) -> None:
    """Record a wrong code of the second factor as a failed sign-in."""
    sign_in.note_attempt(request, user.pk, how=SignIn.How.CODE, succeeded=False)


def remember_device(sender: Any, request: HttpRequest | None, user: AbstractBaseUser, **_signal: Any) -> None:
    """Make the device known with the answer to this request."""
    if request is not None and isinstance(user, Player):
        devices.remember(request, user)


def close_sockets(sender: Any, request: HttpRequest, user: AbstractBaseUser | None, **_signal: Any) -> None:
    """Close the sockets that were opened in this session, with 4003."""
    session: Any = request.session
    if user is not None and session.session_key:
        broadcast.signed_out(user.pk, session.row_key)
