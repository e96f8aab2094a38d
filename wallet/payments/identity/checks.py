"""The conditions of real money as Django system checks, which commands run first."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from wallet.payments.identity.preconditions import Conditions, lacking


@register
def money_has_all_it_needs(app_configs: Any = None, **_: Any) -> list[CheckMessage]:
    """Return one error for each condition that does not hold while real money is on."""
    if not settings.REAL_MONEY:
        return []
    return [
        Error(each, id=f"gateways.E{number:03}")
        for number, each in enumerate(lacking(conditions_from_settings()), start=1)
    ]


def conditions_from_settings() -> Conditions:
    """Return the conditions from the settings."""
    return Conditions(
        jurisdictions=settings.MONEY_JURISDICTIONS,
        age=settings.MONEY_MINIMUM_AGE,
        limits=settings.DEFAULT_LIMITS.get("INR", {}),
        deposits=settings.MONEY_DEPOSITS,
        terms=settings.MONEY_TERMS,
        zone=settings.REPORT_ZONE,
        gateways=settings.MONEY_GATEWAYS,
        bank_details=settings.MONEY_BANK_DETAILS,
        test_secret=settings.TEST_GATEWAY_SECRET,
        practice_currency=settings.PRACTICE_CURRENCY,
        rehearsal=settings.MONEY_REHEARSAL,
    )
