"""The account over HTTP (`/api/docs/`): sign-up, sign-in, sign-out, the token, and who is signed in."""

from typing import Annotated, Any, TypedDict

from django.contrib.auth import login, logout
from django.core.exceptions import ValidationError as ModelValidationError
from django.db import IntegrityError
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.authtoken.models import Token
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts import guests, services, sign_in
from lobby.accounts.forms import SignUpForm
from lobby.accounts.models import Player, SignIn
from lobby.accounts.recovery import codes
from lobby.accounts.sign_in import SignUpThrottle, signed_in_player
from lobby.accounts.views import BACKEND, guest_of
from lobby.two_factor import services as two_factor, sessions
from tables.history import selectors as history
from tables.history.selectors import OwnSeat
from wallet.base.api import check_form, responses, sent_body
from wallet.keys.api_tokens import token_text
from wallet.ledger import selectors as ledger
from wallet.ledger.selectors import Balance


class SignInRequest(serializers.Serializer[Any]):
    username = serializers.CharField(min_length=1, max_length=150)
    password = serializers.CharField(min_length=1, max_length=128, trim_whitespace=False, write_only=True)
    code = serializers.CharField(
        max_length=40, required=False, allow_blank=True, write_only=True,
        help_text="Staff where codes are asked for: of the authenticator app, or for recovery.",
    )  # fmt: skip


class TokenAnswer(TypedDict):
    token: str


class Me(TypedDict):
    id: int
    username: str
    name: Annotated[str, "What others see."]
    guest: Annotated[bool, "Has chosen no name and no password yet."]
    balances: list[Balance]
    seat: Annotated[OwnSeat | None, "The first of `seats`."]
    seats: Annotated[list[OwnSeat], "Three at most; where it is their turn first, those of practice last."]


class NewAccount(Me):
    recovery_codes: Annotated[list[str], "Shown this once: each sets a new password for who has forgotten theirs."]


class SignInView(APIView):
    """The base of the views that sign in: open to anyone, with a CSRF check only where a session exists.

    lobby/accounts/sign_in.py counts failures only: sign-ins that succeed use up no limit.
    """

    permission_classes = [AllowAny]
    authentication_classes = [SessionAuthentication]
    how = SignIn.How.SESSION

    def authenticated_player(self, request: Request) -> Player:
        """Return the player by name and password and, for staff, code. SignInRefused, CodeRefused."""
        body = sent_body(SignInRequest, request)
        name, password = body["username"], body["password"]
        player = sign_in.authenticate_player(request._request, username=name, password=password, how=self.how)
        if two_factor.needs_code(player):
            two_factor.check_code(player, body.get("code", ""), request._request)
        return player


class SignUp(SignInView):
    throttle_classes = [SignUpThrottle]

    @extend_schema(operation_id="auth_signup", request=SignInRequest, responses=responses(NewAccount, 400, status=201))
    def post(self, request: Request) -> Response:
        """Create an account with its wallet and sign-up chips, and sign it in (session cookie).

        In a guest's session the guest's account gets the name, and keeps its chips and its history.
        """
        body = sent_body(SignInRequest, request)
        form = SignUpForm(body)
        check_form(form)
        guest, credentials = guest_of(request._request), {"username": body["username"], "password": body["password"]}
        try:
            player = services.sign_up(**credentials) if guest is None else guests.name_guest(guest=guest, **credentials)
        except (IntegrityError, ModelValidationError) as error:
            raise ValidationError({"username": ["This name is taken. Please choose another."]}) from error
        login(request._request, player, backend=BACKEND)
        return Response(NewAccount(**_me(player), recovery_codes=codes.new_codes(player)), status=201)


class LogIn(SignInView):
    @extend_schema(operation_id="auth_login", request=SignInRequest, responses=responses(Me, 400))
    def post(self, request: Request) -> Response:
        """Sign in with a session cookie."""
        player = self.authenticated_player(request)
        login(request._request, player, backend=BACKEND)
        if two_factor.needs_code(player):
            sessions.mark_verified(request._request)
        return Response(_me(player))


class IssueToken(SignInView):
    authentication_classes = []
    how = SignIn.How.TOKEN

    @extend_schema(operation_id="auth_token", request=SignInRequest, responses=responses(TokenAnswer, 400))
    def post(self, request: Request) -> Response:
        """Return the account's token, for `Authorization: Token KEY`; it lasts half a year.

        Signing out with it, or a new password, makes it void.
        """
        player = self.authenticated_player(request)
        token = two_factor.token_of(player)
        sign_in.note_attempt(request._request, player.pk, how=self.how)
        return Response(TokenAnswer(token=token_text(token)))


class LogOut(APIView):
    # A token that others use must be void at once, however often they call with it.
    throttle_classes = ()

    @extend_schema(operation_id="auth_logout", request=None, responses={204: None})
    def post(self, request: Request) -> Response:
        """End this session; a call with a token makes the token void and closes the player's sockets."""
        if isinstance(request.auth, Token):
            services.void_tokens(signed_in_player(request))
        else:
            logout(request._request)
        return Response(status=204)


class WhoAmI(APIView):
    @extend_schema(operation_id="me", responses=responses(Me))
    def get(self, request: Request) -> Response:
        """Return the signed-in player: names, balances, and the seats they hold."""
        return Response(_me(signed_in_player(request)))


def _me(player: Player) -> Me:
    """Return the signed-in player as in the answer of `GET /api/me/`."""
    seats = history.seats_of(player)
    return {
        "id": player.pk,
        "username": player.username,
        "name": player.shown_name,
        "guest": player.is_guest,
        "balances": ledger.balances(player),
        "seat": seats[0] if seats else None,
        "seats": seats,
    }
