"""Serializers of the API of deposits and withdrawals."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from wallet.base.amounts import WholeAmount
from wallet.base.errors import WalletError
from wallet.base.money import CURRENCIES
from wallet.payments.forms import check_account, check_ifsc
from wallet.payments.models import Deposit, Withdrawal
from wallet.payments.providers import registry


class Declaration(serializers.Serializer[Any]):
    jurisdiction = serializers.CharField(max_length=6, help_text="As ISO 3166-2 has it; ZZ for any other place.")
    birth_date = serializers.DateField()
    accept_terms = serializers.BooleanField()

    def validate_accept_terms(self, accepted: bool) -> bool:
        if not accepted:
            raise serializers.ValidationError("Without the terms there is no play for money.")
        return accepted


class PaymentStanding(serializers.Serializer[Any]):
    eligible = serializers.BooleanField()
    code = serializers.CharField(allow_null=True, help_text="What is in the way first.")
    message = serializers.CharField(allow_null=True)
    jurisdiction = serializers.CharField(allow_null=True)
    birth_date = serializers.DateField(allow_null=True)
    verified = serializers.BooleanField()
    may_withdraw = serializers.BooleanField(help_text="Verified once, whatever keeps one from playing now.")
    permitted = serializers.ListField(child=serializers.CharField())


class DepositAsked(serializers.Serializer[Any]):
    amount = WholeAmount(help_text="Smallest units of the currency.")
    currency = serializers.ChoiceField(choices=list(CURRENCIES), default="INR", help_text="FUN is refused.")
    gateway = serializers.CharField(max_length=12)
    request = serializers.CharField(required=False, max_length=40, help_text="The same again asks for nothing more.")


class WithdrawalAsked(DepositAsked):
    name = serializers.CharField(min_length=2, max_length=80, help_text="On the account.")
    account = serializers.CharField(max_length=30)
    ifsc = serializers.CharField(max_length=20)

    def validate_account(self, text: str) -> str:
        return check_account(text)

    def validate_ifsc(self, text: str) -> str:
        return check_ifsc(text)


class PaymentLine(serializers.Serializer[Any]):
    what = serializers.CharField()
    value = serializers.CharField()


class Pay(serializers.Serializer[Any]):
    lines = PaymentLine(many=True, help_text="What to do, to be read.")
    page = serializers.CharField(help_text="Where to pay; empty where there is no such page.")


class PaymentShown(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    status = serializers.CharField()
    what = serializers.CharField(source="get_status_display", help_text="The status in words.")
    currency = serializers.CharField()
    amount = serializers.IntegerField()
    gateway = serializers.CharField()
    asked_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)


class DepositShown(PaymentShown):
    reference = serializers.CharField(help_text="To be quoted with the payment.")
    pay = serializers.SerializerMethodField(help_text="How to pay, while it waits for the payment.")

    @extend_schema_field(Pay(allow_null=True))
    def get_pay(self, deposit: Deposit) -> dict[str, Any] | None:
        if deposit.status != Deposit.Status.ASKED:
            return None
        try:
            way = registry.gateway(deposit.gateway).instructions(deposit)
        except WalletError:
            return None
        return {"lines": [{"what": what, "value": value} for what, value in way.lines], "page": way.page}


class WithdrawalShown(PaymentShown):
    account = serializers.SerializerMethodField(help_text="The end of the account's number.")

    def get_account(self, withdrawal: Withdrawal) -> str:
        return f"…{withdrawal.ending}"


class Message(serializers.Serializer[Any]):
    event = serializers.CharField(max_length=60, help_text="The gateway's name for it: used once, applied once.")
    type = serializers.CharField(max_length=40, help_text="`deposit.paid`; anything else is noted only.")
    reference = serializers.CharField(max_length=40)
    amount = WholeAmount()
    currency = serializers.CharField(max_length=3)


class Received(serializers.Serializer[Any]):
    event = serializers.CharField()
    outcome = serializers.CharField()
    where = serializers.CharField(
        help_text="Where what was paid is now: `balance`, `suspense`, `back` (send it back yourself), `nowhere`."
    )
