"""What ends with a session. A signal, because pages, API and admin each sign out in their own way."""

from typing import Any

from django.http import HttpRequest

from tables.play import broadcast


def close_sockets(sender: Any, request: HttpRequest, user: Any, **_: Any) -> None:
    """The sockets that were opened in this session close with 4003."""
    if user is not None and request.session.session_key:
        broadcast.signed_out(user.pk, request.session.session_key)
