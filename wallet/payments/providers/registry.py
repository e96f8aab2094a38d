"""The gateways that this installation offers."""

from collections.abc import Iterable

from django.conf import settings

from wallet.payments.providers.bank import Bank
from wallet.payments.providers.base import Gateway, NoGateway
from wallet.payments.providers.test import Pretend

_ALL: tuple[Gateway, ...] = (Bank(), Pretend())


def offered_gateways() -> list[Gateway]:
    """Return the gateways in the order of the settings; none while real money is off.

    The test gateway is offered in rehearsals only.
    """
    if not settings.REAL_MONEY:
        return []
    by_name = {gateway.name: gateway for gateway in _ALL if gateway.name != Pretend.name or settings.MONEY_REHEARSAL}
    return [by_name[name] for name in settings.MONEY_GATEWAYS if name in by_name]


def payout_gateways() -> list[Gateway]:
    """Return the gateways that pay players out: those on offer, or the bank if there are none."""
    return offered_gateways() or [Bank()]


def payout_gateway(name: str) -> Gateway:
    """Return the gateway of that name that pays out; NoGateway where there is none."""
    return _named(name, payout_gateways())


def by_hand(name: str) -> bool:
    """Return whether staff look up that gateway's payments at the bank, even if it is no longer offered."""
    return _named(name, _ALL).by_hand


def gateway(name: str) -> Gateway:
    """Return the offered gateway of that name; NoGateway where there is none."""
    return _named(name, offered_gateways())


def _named(name: str, among: Iterable[Gateway]) -> Gateway:
    for each in among:
        if each.name == name:
            return each
    raise NoGateway
