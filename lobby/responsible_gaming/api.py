"""The HTTP API of responsible gaming: limits, exclusion, reminders."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import signed_in_player
from lobby.responsible_gaming import services
from wallet.base.amounts import WholeAmount
from wallet.base.api import CurrencyField, responses, sent_body
from wallet.responsible_gaming import selectors as responsible_gaming_selectors, services as responsible_gaming
from wallet.responsible_gaming.selectors import CareView, ReminderView, TodayView

KINDS, LIMIT_PERIODS = ("entries", "time"), ("day", "week", "month")


class LimitName(serializers.Serializer[Any]):
    """The name of a limit: on chips put into play in a currency, or on time played, over a period."""

    kind = serializers.ChoiceField(choices=KINDS)
    period = serializers.ChoiceField(choices=LIMIT_PERIODS)
    currency = CurrencyField(required=False, default="", allow_blank=True, help_text="For `entries` only.")


class LimitRequest(LimitName):
    amount = WholeAmount(
        allow_null=True, min_value=0, help_text="Smallest units of the currency, for `time` minutes; null: no limit."
    )


class ExclusionRequest(serializers.Serializer[Any]):
    period = serializers.ChoiceField(choices=list(responsible_gaming.EXCLUSIONS), help_text="`ever`: for good.")


class ReminderRequest(serializers.Serializer[Any]):
    minutes = serializers.ChoiceField(choices=responsible_gaming.REMINDERS)


class ReminderNow(ReminderView):
    today: TodayView | None


def _overview(request: Request) -> Response:
    return Response(services.overview(signed_in_player(request)))


class Overview(APIView):
    @extend_schema(operation_id="care", responses=responses(CareView))
    def get(self, request: Request) -> Response:
        """Return one's limits with the used part of each, exclusion, reminder, and today's time and results."""
        return _overview(request)


class Now(APIView):
    @extend_schema(operation_id="care_now", responses=responses(ReminderNow))
    def get(self, request: Request) -> Response:
        """Return whether a reminder is due, and if so today's time and results. Tables call this once a minute."""
        player = signed_in_player(request)
        reminder = responsible_gaming_selectors.reminder(player)
        today = responsible_gaming_selectors.today(player) if reminder["due"] else None
        return Response(ReminderNow(**reminder, today=today))


class SetLimit(APIView):
    @extend_schema(operation_id="care_set_limit", request=LimitRequest, responses=responses(CareView, 400, 409))
    def post(self, request: Request) -> Response:
        """Set a limit. A stricter one applies at once; a looser one, or its removal, after 72 hours."""
        body = sent_body(LimitRequest, request)
        services.set_limit(player=signed_in_player(request), **body)
        return _overview(request)


class Withdraw(APIView):
    @extend_schema(operation_id="care_withdraw", request=LimitName, responses=responses(CareView, 400, 409))
    def post(self, request: Request) -> Response:
        """Withdraw a pending change; the limit stays as it is now."""
        body = sent_body(LimitName, request)
        responsible_gaming.withdraw(user=signed_in_player(request), **body)
        return _overview(request)


class ExcludeOneself(APIView):
    @extend_schema(operation_id="care_exclude", request=ExclusionRequest, responses=responses(CareView, 400, 409))
    def post(self, request: Request) -> Response:
        """Exclude oneself from play. It cannot be undone or shortened; a running match is played to its end."""
        body = sent_body(ExclusionRequest, request)
        services.exclude_oneself(player=signed_in_player(request), period=body["period"])
        return _overview(request)


class Reminder(APIView):
    @extend_schema(operation_id="care_remind", request=ReminderRequest, responses=responses(CareView, 400, 409))
    def post(self, request: Request) -> Response:
        """Set the minutes of play after which the table reminds one of the time."""
        responsible_gaming.remind_every(
            user=signed_in_player(request), minutes=sent_body(ReminderRequest, request)["minutes"]
        )
        return _overview(request)


class Seen(APIView):
    @extend_schema(operation_id="care_seen", request=None, responses=responses(CareView))
    def post(self, request: Request) -> Response:
        """Acknowledge a reminder; the next one counts from now."""
        responsible_gaming.acknowledge(user=signed_in_player(request))
        return _overview(request)
