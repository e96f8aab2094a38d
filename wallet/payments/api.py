"""The HTTP API of deposits and withdrawals, and the webhook of the gateways."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet.audit_log.services import of_request
from wallet.base.api import REFUSED, NewestFirst, player_of, sent_body
from wallet.base.throttling import AddressThrottle
from wallet.payments import deposits, schemas, withdrawals
from wallet.payments.identity import eligibility, verification
from wallet.payments.identity.access import NAME_FIRST, has_money_pages, is_guest
from wallet.payments.identity.preconditions import LEAST_SECRET
from wallet.payments.models import Deposit, Identity, Withdrawal
from wallet.payments.providers import webhook

REFUSALS: dict[Any, Any] = {(code, "application/json"): REFUSED for code in (400, 403, 409)}
UNHEARD: dict[Any, Any] = {(code, "application/json"): REFUSED for code in (400, 401, 409, 413, 429)}
#: The most bytes of a message from a gateway.
LONGEST_MESSAGE = 8 * 1024


class WebhookThrottle(AddressThrottle):
    """The rate `webhook`, counted before the message is read; after a 429, gateways try again."""

    scope = "webhook"


class MoneyView(APIView):
    """A view that refuses guests, and while real money is off admits only players who have ever had any."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not has_money_pages(request.user):
            raise Http404
        if is_guest(request.user):
            raise eligibility.NotEligible("guest", NAME_FIRST)


class IdentityView(MoneyView):
    @extend_schema(operation_id="wallet_identity", responses=schemas.PaymentStanding)
    def get(self, request: Request) -> Response:
        """Return whether one may play for money, the first obstacle if not, and whether one may withdraw."""
        return Response(_standing(player_of(request)))

    @extend_schema(
        operation_id="wallet_identity_declare",
        request=schemas.Declaration,
        responses={200: schemas.PaymentStanding, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Declare where one lives and when one was born, and accept the terms. A change must be verified again."""
        content = sent_body(schemas.Declaration, request)
        verification.declare(
            player=player_of(request),
            jurisdiction=content["jurisdiction"],
            birth_date=content["birth_date"],
            actor=of_request(request._request),
        )
        return Response(_standing(player_of(request)))


class Deposits(MoneyView, generics.ListAPIView[Deposit]):
    serializer_class = schemas.DepositShown
    pagination_class = NewestFirst

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
        """Request a deposit; the answer says how to pay. The balance rises once the payment is certain."""
        content = sent_body(schemas.DepositAsked, request)
        deposit = deposits.ask(player=player_of(request), **{"request": uuid.uuid4().hex, **content})
        return Response(schemas.DepositShown(deposit).data, status=201)


class DepositCancel(MoneyView):
    @extend_schema(
        operation_id="wallet_deposit_cancel", request=None, responses={200: schemas.DepositShown, **REFUSALS}
    )
    def post(self, request: Request, deposit_id: int) -> Response:
        """Cancel a deposit, as long as nobody has seen the payment."""
        deposit = generics.get_object_or_404(Deposit, pk=deposit_id, player_id=player_of(request).pk)
        return Response(schemas.DepositShown(deposits.cancel(deposit=deposit)).data)


class Withdrawals(MoneyView, generics.ListAPIView[Withdrawal]):
    serializer_class = schemas.WithdrawalShown
    pagination_class = NewestFirst

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
        """Request a withdrawal. The amount leaves the balance at once and is on hold until it is paid or returned.

        For all players who were ever verified, even if they may not play now."""
        content = sent_body(schemas.WithdrawalAsked, request)
        destination = {name: content.pop(name) for name in ("name", "account", "ifsc")}
        fields = {"request": uuid.uuid4().hex, **content}
        withdrawal = withdrawals.ask(player=player_of(request), destination=destination, **fields)
        return Response(schemas.WithdrawalShown(withdrawal).data, status=201)


class WithdrawalCancel(MoneyView):
    @extend_schema(
        operation_id="wallet_withdrawal_cancel", request=None, responses={200: schemas.WithdrawalShown, **REFUSALS}
    )
    def post(self, request: Request, withdrawal_id: int) -> Response:
        """Cancel a withdrawal that is not approved yet; the amount returns to the balance."""
        withdrawal = generics.get_object_or_404(Withdrawal, pk=withdrawal_id, player_id=player_of(request).pk)
        return Response(schemas.WithdrawalShown(withdrawals.cancel(withdrawal=withdrawal)).data)


class TestWebhook(APIView):
    """The webhook of the test gateway: it accepts only the gateway's signature, no session and no token.

    It works even after real money is switched off: payments made meanwhile are put into suspense.
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
        """Receive a signed event of the test gateway: `v1` is the HMAC-SHA-256 of `{t}.{body}` in hex.

        The same event sent again gets the same answer.
        """
        has_secret = len(settings.TEST_GATEWAY_SECRET) >= LEAST_SECRET
        if not (settings.MONEY_REHEARSAL and "test" in settings.MONEY_GATEWAYS and has_secret):
            raise Http404
        event = webhook.receive(_message(request), request.headers.get("X-Signature", ""))
        return Response({"event": event.event, "outcome": event.outcome, "where": webhook.where(event)})


def _message(request: Request) -> bytes:
    """Return the body. TooLong where it exceeds LONGEST_MESSAGE, whatever the header says: no more is read."""
    length = str(request.META.get("CONTENT_LENGTH") or 0)
    if not length.isdecimal() or int(length) > LONGEST_MESSAGE:
        raise webhook.TooLong
    body = request._request.read(LONGEST_MESSAGE + 1)
    if len(body) > LONGEST_MESSAGE:
        raise webhook.TooLong
    return body


def _standing(player: AbstractBaseUser) -> dict[str, Any]:
    reason = eligibility.obstacle(player)
    declared = Identity.objects.filter(player_id=player.pk).first()
    return {
        "eligible": reason is None,
        "code": reason.code if reason else None,
        "message": reason.message if reason else None,
        "jurisdiction": declared.jurisdiction if declared else None,
        "birth_date": declared.birth_date if declared else None,
        "verified": declared is not None and declared.verified_at is not None,
        "may_withdraw": verification.unproved(player) is None,
        "permitted": settings.MONEY_JURISDICTIONS,
    }
