"""The gateways that this installation offers."""

from django.conf import settings

from wallet.payments.providers.bank import Bank
from wallet.payments.providers.base import Gateway, NoGateway
from wallet.payments.providers.test import Pretend

_ALL: tuple[Gateway, ...] = (Bank(), Pretend())


def offered_gateways() -> list[Gateway]:
    """Return the gateways in the order of the settings; none while money is off.

    The test gateway in rehearsals only.
    """
    if not settings.REAL_MONEY:
        return []
    by_name = {gateway.name: gateway for gateway in _ALL if gateway.name != Pretend.name or settings.MONEY_REHEARSAL}
    return [by_name[name] for name in settings.MONEY_GATEWAYS if name in by_name]


def gateway(name: str) -> Gateway:
    """Return the offered gateway of that name; NoGateway where there is none."""
    for each in offered_gateways():
        if each.name == name:
            return each
    raise NoGateway
