"""The lobby's HTTP API (contracts.md, section 2): sign-in, the stakes, and the ways to a seat."""

from typing import Any

from django.contrib.auth import login, logout
from django.core.exceptions import ValidationError as ModelValidationError
from django.db import IntegrityError
from django.forms import BaseForm
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.authentication import SessionAuthentication
from rest_framework.authtoken.models import Token
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from lobby import schemas, services
from lobby.accounts import sign_in
from lobby.accounts.throttling import SignUpThrottle
from lobby.accounts.views import BACKEND
from lobby.forms import LobbyFilterForm, SignUpForm
from lobby.models import Player
from lobby.models import SignIn as SignInRow
from lobby.stakes import selectors
from lobby.two_factor import services as guard
from lobby.two_factor import sessions
from tables.models import Seating

REFUSED = OpenApiResponse(schemas.RefusalBody, description="Refused; nothing was changed.")


def _checked(serializer: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    asked = serializer(data=request.data)
    asked.is_valid(raise_exception=True)
    data: dict[str, Any] = asked.validated_data
    return data


def _checked_form(form: BaseForm) -> None:
    if not form.is_valid():
        raise ValidationError({name: [str(text) for text in texts] for name, texts in form.errors.items()})


def _player(request: Request) -> Player:
    assert isinstance(request.user, Player)
    return request.user


def _seat(seating: Seating) -> Response:
    return Response({"table": seating.table_id, "seat": seating.seat})


class SignInView(APIView):
    """What all ways in share: open to anyone, CSRF only where there is a session already.

    How many failures there may be is counted in lobby/accounts/sign_in.py: what succeeds keeps nobody out.
    """

    permission_classes = [AllowAny]
    authentication_classes = [SessionAuthentication]
    how = SignInRow.How.SESSION

    def signed_in(self, request: Request) -> Player:
        """The player whose name and password, and for staff whose code, were sent; else one refusal for all."""
        asked = _checked(schemas.SignInRequest, request)
        name, password = asked["username"], asked["password"]
        player = sign_in.checked(request._request, username=name, password=password, how=self.how)
        if guard.needs_code(player):
            guard.check(player, asked.get("code", ""))
        return player


class SignUp(SignInView):
    throttle_classes = [SignUpThrottle]

    @extend_schema(
        operation_id="auth_signup",
        request=schemas.SignInRequest,
        responses={201: schemas.Me, (400, "application/json"): REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Make an account with its wallet and sign-up chips, and sign it in (session cookie)."""
        asked = _checked(schemas.SignInRequest, request)
        form = SignUpForm(asked)
        _checked_form(form)
        try:
            player = services.sign_up(username=asked["username"], password=asked["password"])
        except (IntegrityError, ModelValidationError) as error:
            raise ValidationError({"username": ["This name is taken. Please choose another."]}) from error
        login(request._request, player, backend=BACKEND)
        return Response(selectors.me(player), status=201)


class LogIn(SignInView):
    @extend_schema(
        operation_id="auth_login",
        request=schemas.SignInRequest,
        responses={200: schemas.Me, (400, "application/json"): REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Sign in with a session cookie."""
        player = self.signed_in(request)
        login(request._request, player, backend=BACKEND)
        if guard.needs_code(player):
            sessions.prove(request._request)
        return Response(selectors.me(player))


class GiveToken(SignInView):
    authentication_classes = []
    how = SignInRow.How.TOKEN

    @extend_schema(
        operation_id="auth_token",
        request=schemas.SignInRequest,
        responses={200: schemas.TokenAnswer, (400, "application/json"): REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Answer the account's token, for `Authorization: Token KEY`. It is void after sign-out with it."""
        player = self.signed_in(request)
        token = guard.token_of(player)
        sign_in.note(request._request, player.pk, how=self.how)
        return Response({"token": token.key})


class LogOut(APIView):
    @extend_schema(operation_id="auth_logout", request=None, responses={204: None})
    def post(self, request: Request) -> Response:
        """End this session; asked with a token, end that token."""
        if isinstance(request.auth, Token):
            services.sign_out_everywhere(_player(request))
        else:
            logout(request._request)
        return Response(status=204)


class WhoAmI(APIView):
    @extend_schema(operation_id="me", responses=schemas.Me)
    def get(self, request: Request) -> Response:
        """The signed-in player: names, balances, and the seat they hold."""
        return Response(selectors.me(_player(request)))


class Lobby(APIView):
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="lobby",
        parameters=[schemas.LobbyQuery],
        responses={200: schemas.LobbyAnswer, (400, "application/json"): REFUSED},
    )
    def get(self, request: Request) -> Response:
        """The stakes on offer with their open tables; `min` and `max` bound the amount to sit down with."""
        form = LobbyFilterForm(request.query_params)
        _checked_form(form)
        return Response({"stakes": selectors.offered(form.wanted())})


class TableSeat(APIView):
    @extend_schema(
        operation_id="sit",
        request=schemas.SitDown,
        responses={200: schemas.SeatAnswer, (409, "application/json"): REFUSED},
    )
    def post(self, request: Request, table_id: int) -> Response:
        """A seat at this table: any free one, or `seat`. The same call again answers the same seat."""
        asked = _checked(schemas.SitDown, request)
        return _seat(
            services.sit_at(
                table_id=table_id, user=_player(request), amount=asked.get("buy_in"), seat=asked.get("seat")
            )
        )


class StakeSeat(APIView):
    @extend_schema(
        operation_id="quick_seat",
        request=schemas.SitDown,
        responses={200: schemas.SeatAnswer, (409, "application/json"): REFUSED},
    )
    def post(self, request: Request, stake_id: int) -> Response:
        """A free seat at any table of this stake; a new table opens when none has one."""
        asked = _checked(schemas.SitDown, request)
        return _seat(
            services.quick_seat(
                stake_id=stake_id, user=_player(request), amount=asked.get("buy_in"), seat=asked.get("seat")
            )
        )


class Practice(APIView):
    @extend_schema(
        operation_id="practice",
        request=schemas.PracticeRequest,
        responses={200: schemas.SeatAnswer, (409, "application/json"): REFUSED},
    )
    def post(self, request: Request) -> Response:
        """A practice table for fun chips. `players` counts everybody there: the caller, and computers for the rest."""
        asked = _checked(schemas.PracticeRequest, request)
        return _seat(services.practice(user=_player(request), book_key=asked["book"], players=asked["players"]))


class Private(APIView):
    @extend_schema(
        operation_id="private_open",
        request=schemas.PrivateRequest,
        responses={201: schemas.Code, (409, "application/json"): REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Open a table of the stake that only those who have the code can find. Nobody is seated yet."""
        asked = _checked(schemas.PrivateRequest, request)
        return Response({"code": services.open_private(stake_id=asked["stake"], user=_player(request))}, status=201)


class PrivateSeat(APIView):
    @extend_schema(
        operation_id="private_sit",
        request=schemas.SitDown,
        responses={200: schemas.SeatAnswer, (409, "application/json"): REFUSED},
    )
    def post(self, request: Request, code: str) -> Response:
        """A seat at the private table of this code."""
        asked = _checked(schemas.SitDown, request)
        return _seat(
            services.sit_by_code(code=code, user=_player(request), amount=asked.get("buy_in"), seat=asked.get("seat"))
        )
