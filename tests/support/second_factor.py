"""Staff with an authenticator, and the steps of their sign-in."""

import time
from typing import Any

from django.test import Client

from lobby.models import Player
from lobby.two_factor import totp
from lobby.two_factor.models import SECRETS, Authenticator
from tests.support.players import PASSWORD


def app(player: Player) -> str:
    """Return the code on the player's telephone now."""
    secret = SECRETS.unseal(Authenticator.objects.get(player=player))
    return totp.code(secret, int(time.time()) // totp.STEP)


def with_password(player: Player, **client: Any) -> Client:
    browser = Client(**client)
    assert browser.post("/login/", {"username": player.username, "password": PASSWORD}).status_code == 302
    return browser


def enrolled(player: Player) -> tuple[Client, list[str]]:
    browser = with_password(player)
    browser.get("/account/code/")
    page = browser.post("/account/code/", {"code": app(player), "next": "/finance/"})
    return browser, list(page.context["codes"])
