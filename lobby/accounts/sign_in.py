"""Sign-in with a name and a password, and the limits on it and on signing up; the same for pages, API and admin."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.contrib.auth import authenticate, update_session_auth_hash
from django.db import transaction
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.views import APIView

from lobby.accounts import devices
from lobby.accounts.models import Player, SignIn
from lobby.accounts.names import tidy, typed
from lobby.accounts.passwords import LONGEST, normalize
from wallet.audit_log.services import client_address
from wallet.base import rate_limits
from wallet.base.errors import Refusal, TooBusy
from wallet.base.rate_limits import AddressThrottle, LimitedKey, RateLimit
from wallet.language import gettext_lazy

#: Seconds to wait after a limit is used up.
COOL_OFF = 300
#: Failures of one name from one address, or on one known device.
PAIR = RateLimit("pair", 8, COOL_OFF)
#: Failures of one name from anywhere; devices on which the player has signed in before are exempt.
NAME = RateLimit("name", 40, COOL_OFF)
#: Failures from one address, whatever the names: two a second, since a whole mobile network may share it.
ADDRESS = RateLimit("address", 600, COOL_OFF)

#: Right passwords for one name, and from one address: far more than people need, but no hashing without end.
RIGHT_NAME, RIGHT_ADDRESS = RateLimit("right-name", 60, COOL_OFF), RateLimit("right-address", 3_000, COOL_OFF)

#: Void links of e-mails that are opened from one address. They cannot be guessed; old ones are opened by mistake.
LINKS = RateLimit("links", 60, COOL_OFF)

WRONG_SIGN_IN = gettext_lazy("Name or password is not right.")
WRONG_PASSWORD = gettext_lazy("This is not your password.")
TOO_MANY = gettext_lazy("Too many attempts. Please wait a few minutes and try again.")


class SignInRefused(Refusal):
    """A refused sign-in; `code` is `wrong_sign_in` or `too_many_attempts`. It never says whether the name exists."""


class SignUpThrottle(AddressThrottle):
    """The limit on new accounts from one address, with the rate `sign-up`."""

    scope = "sign-up"


def too_many_sign_ups(request: HttpRequest) -> bool:
    """Count this attempt to sign up on the page; return whether the address has used up its rate."""
    return not SignUpThrottle().allow_request(request, APIView())  # type: ignore[arg-type]


def signed_in_player(request: Request | HttpRequest) -> Player:
    """Return the player of the request, where only signed-in players get this far."""
    assert isinstance(request.user, Player)
    return request.user


def player_or_visitor(request: Request | HttpRequest) -> Player | None:
    """Return the player of the request; None for a visitor."""
    return request.user if isinstance(request.user, Player) else None


def authenticate_player(
    request: HttpRequest | None, *, username: str, password: str, how: SignIn.How = SignIn.How.SESSION
) -> Player:
    """Return the player with that name and password. Raises SignInRefused; beyond a limit without hashing.

    A name that nobody has is counted, hashed, recorded and answered like any other.
    """
    limits, right = limits_for(request, username), _limits_of_right(request, username)
    if not rate_limits.count_tries([*limits, *right]):
        raise SignInRefused("too_many_attempts", TOO_MANY, status=429)
    short_enough = len(normalize(password)) <= LONGEST
    try:
        user = authenticate(request, username=username, password=password) if short_enough else None
    except TooBusy:
        rate_limits.forgive([*limits, *right])
        raise
    if not isinstance(user, Player):
        rate_limits.forgive(right)
        note_attempt(request, player_id_of(username), how=how, succeeded=False)
        raise SignInRefused("wrong_sign_in", WRONG_SIGN_IN, status=400)
    rate_limits.forgive(limits)
    rate_limits.forget_tries(limits[0][1])
    return user


def check_own_password(request: HttpRequest, password: str) -> Player:
    """Return the signed-in player if this is their password. SignInRefused, with its own message for a wrong one."""
    player = signed_in_player(request)
    try:
        checked = authenticate_player(request, username=player.username, password=password)
    except SignInRefused as refusal:
        if refusal.code == "wrong_sign_in":
            raise SignInRefused(refusal.code, WRONG_PASSWORD, status=refusal.status) from refusal
        raise
    if checked.password != player.password:
        # The hash was made anew, and the session is bound to it.
        update_session_auth_hash(request, checked)
    return checked


@contextmanager
def tries_counted(
    request: HttpRequest, limits: Sequence[LimitedKey], *, how: SignIn.How, wrong: str, player_id: int | None
) -> Iterator[None]:
    """Count the block as a try under these limits, and record it, where it ends with a Refusal of the code `wrong`.

    SignInRefused instead of the block once a limit is used up.
    """
    if not rate_limits.count_tries(limits):
        raise SignInRefused("too_many_attempts", TOO_MANY, status=429)
    try:
        yield
    except Refusal as refusal:
        if refusal.code == wrong:
            note_attempt(request, player_id, how=how, succeeded=False)
        else:
            rate_limits.forgive(limits)
        raise
    except TooBusy:
        rate_limits.forgive(limits)
        raise
    rate_limits.forgive(limits)


def _address(request: HttpRequest | None) -> str | None:
    return client_address(request) if request is not None else None


def link_limits(request: HttpRequest) -> list[LimitedKey]:
    """Return the limits that count a void link of an e-mail, with their keys."""
    address = client_address(request)
    return [(LINKS, LINKS.key(address)), (ADDRESS, ADDRESS.key(address))]


@transaction.atomic
def note_attempt(
    request: HttpRequest | None, player_id: int | None, *, how: SignIn.How, succeeded: bool = True
) -> SignIn:
    """Record the sign-in, or the failed attempt, with its address and client; return the record."""
    client = request.headers.get("user-agent", "") if request is not None else ""
    return SignIn.objects.create(
        player_id=player_id, how=how, succeeded=succeeded, address=_address(request), client=client[:200]
    )


def player_id_of(username: str) -> int | None:
    """Return the id of the player with that name, in any case; None where nobody has it."""
    players = Player.objects.filter(username__iexact=typed(username, 150))
    return players.values_list("pk", flat=True).first()


def limits_for(request: HttpRequest | None, username: str) -> list[LimitedKey]:
    """Return the limits that count this try, the narrowest first, each with its key."""
    name, device = _counted_name(username), devices.known_device(request, username)
    if device is not None:
        return [(PAIR, PAIR.key(name, "device", device))]
    address = _address(request)
    return [(PAIR, PAIR.key(name, address)), (NAME, NAME.key(name)), (ADDRESS, ADDRESS.key(address))]


def _limits_of_right(request: HttpRequest | None, username: str) -> list[LimitedKey]:
    """Return the loose limits that count passwords that are right, each with its key."""
    address = _address(request)
    return [(RIGHT_NAME, RIGHT_NAME.key(_counted_name(username))), (RIGHT_ADDRESS, RIGHT_ADDRESS.key(address))]


def _counted_name(username: str) -> str:
    """Return the name as limits count it: the same for every spelling by which the database finds the same player."""
    return tidy(username.strip()).upper()
