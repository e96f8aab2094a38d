"""The HTTP API of deposits and withdrawals, and what gateways tell us."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import generics
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet.audit_log.services import of_request
from wallet.base.api import RefusalBody, StatementPages, player_of, sent_body
from wallet.payments import deposits, schemas, withdrawals
from wallet.payments.identity import eligibility, verification
from wallet.payments.identity.access import NAME_FIRST, has_money_pages, is_guest
from wallet.payments.identity.preconditions import LEAST_SECRET
from wallet.payments.models import Deposit, Identity, Withdrawal
from wallet.payments.providers import webhook
from wallet.payments.providers.throttling import WebhookThrottle

REFUSED = OpenApiResponse(RefusalBody, description="Refused; nothing was changed.")
REFUSALS: dict[Any, Any] = {(code, "application/json"): REFUSED for code in (400, 403, 409)}
UNHEARD: dict[Any, Any] = {(code, "application/json"): REFUSED for code in (400, 401, 409, 413, 429)}
#: A message of a gateway is short.
LONGEST_MESSAGE = 8 * 1024


class MoneyView(APIView):
    """Nothing is here for guests, and while real money is off only for whoever has ever had any."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not has_money_pages(request.user):
            raise Http404
        if is_guest(request.user):
            raise eligibility.NotEligible("guest", NAME_FIRST)


class IdentityView(MoneyView):
    @extend_schema(operation_id="wallet_identity", responses=schemas.PaymentStanding)
    def get(self, request: Request) -> Response:
        """Return whether one may play for money, the first thing that is in the way, and whether one may withdraw."""
        return Response(_standing(player_of(request)))

    @extend_schema(
        operation_id="wallet_identity_declare",
        request=schemas.Declaration,
        responses={200: schemas.PaymentStanding, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Say where one lives and when one was born, and accept the terms. What is new has to be verified anew."""
        asked = sent_body(schemas.Declaration, request)
        verification.declare(
            player=player_of(request),
            jurisdiction=asked["jurisdiction"],
            birth_date=asked["birth_date"],
            actor=of_request(request._request),
        )
        return Response(_standing(player_of(request)))


class Deposits(MoneyView, generics.ListAPIView[Deposit]):
    serializer_class = schemas.DepositShown
    pagination_class = StatementPages

    def get_queryset(self) -> Any:
        return Deposit.objects.filter(player_id=player_of(self.request).pk)

    @extend_schema(operation_id="wallet_deposits")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return one's own deposits, newest first."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="wallet_deposit_ask",
        request=schemas.DepositAsked,
        responses={201: schemas.DepositShown, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Ask to pay in; the answer says how. The balance has it once the payment is certain."""
        asked = sent_body(schemas.DepositAsked, request)
        deposit = deposits.ask(player=player_of(request), **{"request": uuid.uuid4().hex, **asked})
        return Response(schemas.DepositShown(deposit).data, status=201)


class DepositCancel(MoneyView):
    @extend_schema(
        operation_id="wallet_deposit_cancel", request=None, responses={200: schemas.DepositShown, **REFUSALS}
    )
    def post(self, request: Request, deposit_id: int) -> Response:
        """Withdraw the wish to pay in, as long as nobody has seen the payment."""
        deposit = generics.get_object_or_404(Deposit, pk=deposit_id, player_id=player_of(request).pk)
        return Response(schemas.DepositShown(deposits.cancel(deposit=deposit)).data)


class Withdrawals(MoneyView, generics.ListAPIView[Withdrawal]):
    serializer_class = schemas.WithdrawalShown
    pagination_class = StatementPages

    def get_queryset(self) -> Any:
        return Withdrawal.objects.filter(player_id=player_of(self.request).pk)

    @extend_schema(operation_id="wallet_withdrawals")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return one's own withdrawals, newest first."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="wallet_withdrawal_ask",
        request=schemas.WithdrawalAsked,
        responses={201: schemas.WithdrawalShown, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Ask to be paid out. The amount leaves the balance at once and is on hold until it is paid or returned.

        For everybody who was verified once, whether they may play now or not."""
        asked = sent_body(schemas.WithdrawalAsked, request)
        destination = {name: asked.pop(name) for name in ("name", "account", "ifsc")}
        fields = {"request": uuid.uuid4().hex, **asked}
        withdrawal = withdrawals.ask(player=player_of(request), destination=destination, **fields)
        return Response(schemas.WithdrawalShown(withdrawal).data, status=201)


class WithdrawalCancel(MoneyView):
    @extend_schema(
        operation_id="wallet_withdrawal_cancel", request=None, responses={200: schemas.WithdrawalShown, **REFUSALS}
    )
    def post(self, request: Request, withdrawal_id: int) -> Response:
        """Put what is on hold back into the balance, as long as it is not approved."""
        withdrawal = generics.get_object_or_404(Withdrawal, pk=withdrawal_id, player_id=player_of(request).pk)
        return Response(schemas.WithdrawalShown(withdrawals.cancel(withdrawal=withdrawal)).data)


class TestWebhook(APIView):
    """Answer to the signature of the test gateway, and to nothing else: no session, no token.

    Also with real money switched off again: what was paid meanwhile is kept in suspense.
    """

    permission_classes = [AllowAny]
    authentication_classes = []
    throttle_classes = [WebhookThrottle]

    @extend_schema(
        operation_id="gateway_test_webhook",
        request=schemas.Message,
        parameters=[OpenApiParameter("X-Signature", str, OpenApiParameter.HEADER, required=True, description="t=,v1=")],
        responses={200: schemas.Received, **UNHEARD},
    )
    def post(self, request: Request) -> Response:
        """Take what the test gateway tells, signed: `v1` is the HMAC-SHA-256 of `{t}.{body}` in hex.

        Sent again, it answers what came of it the first time.
        """
        has_secret = len(settings.TEST_GATEWAY_SECRET) >= LEAST_SECRET
        if not (settings.MONEY_REHEARSAL and "test" in settings.MONEY_GATEWAYS and has_secret):
            raise Http404
        event = webhook.receive(_message(request), request.headers.get("X-Signature", ""))
        return Response({"event": event.event, "outcome": event.outcome, "where": webhook.where(event)})


def _message(request: Request) -> bytes:
    """Read the body, no further than a message is long, whatever its header says of it: TooLong."""
    said = str(request.META.get("CONTENT_LENGTH") or 0)
    if not said.isdecimal() or int(said) > LONGEST_MESSAGE:
        raise webhook.TooLong
    body = request._request.read(LONGEST_MESSAGE + 1)
    if len(body) > LONGEST_MESSAGE:
        raise webhook.TooLong
    return body


def _standing(player: AbstractBaseUser) -> dict[str, Any]:
    found = eligibility.obstacle(player)
    declared = Identity.objects.filter(player_id=player.pk).first()
    return {
        "eligible": found is None,
        "code": found.code if found else None,
        "message": found.message if found else None,
        "jurisdiction": declared.jurisdiction if declared else None,
        "birth_date": declared.birth_date if declared else None,
        "verified": declared is not None and declared.verified_at is not None,
        "may_withdraw": verification.unproved(player) is None,
        "permitted": settings.MONEY_JURISDICTIONS,
    }
