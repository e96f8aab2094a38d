"""What begins and ends with a session. By signals, since pages, API and admin sign in and out in their own ways."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.http import HttpRequest

from lobby.accounts import devices, sign_in
from lobby.accounts.models import SignIn
from lobby.two_factor import sessions
from tables.play import broadcast


def connect_signals() -> None:
    """Connect what follows to Django's signals; called once, when the application is ready."""
    user_logged_in.connect(begin_session, dispatch_uid="lobby.begin_session")
    user_logged_in.connect(note_sign_in, dispatch_uid="lobby.note_sign_in")
    user_logged_in.connect(know_device, dispatch_uid="lobby.know_device")
    user_logged_out.connect(close_sockets, dispatch_uid="lobby.close_sockets")


def begin_session(sender: Any, request: HttpRequest | None, user: AbstractBaseUser, **_: Any) -> None:
    """Start the clock of the session; it has no second factor yet."""
    sessions.begin(request)


def note_sign_in(sender: Any, request: HttpRequest | None, user: AbstractBaseUser, **_: Any) -> None:
    """Keep that a session begins, with the address it comes from."""
    sign_in.note_attempt(request, user.pk, how=SignIn.How.SESSION)


def know_device(sender: Any, request: HttpRequest | None, user: AbstractBaseUser, **_: Any) -> None:
    """Let the answer to this request make the device known."""
    if request is not None:
        devices.remember(request, user.get_username())


def close_sockets(sender: Any, request: HttpRequest, user: AbstractBaseUser | None, **_: Any) -> None:
    """Close the sockets that were opened in this session, with 4003."""
    if user is not None and request.session.session_key:
        broadcast.signed_out(user.pk, request.session.session_key)
