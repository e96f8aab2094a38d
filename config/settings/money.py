"""Real money: off unless RUMMY_MONEY is on, and then only with everything that it needs. wallet/README.md says what."""

import sys
from typing import Any

from config import env
from config.settings.base import DEFAULT_LIMITS, PRACTICE_CURRENCY
from wallet.payments.identity.preconditions import Conditions, lacking, told

#: What production and the trial read for it.
NAMES = frozenset({
    "RUMMY_MONEY", "RUMMY_MONEY_JURISDICTIONS", "RUMMY_MONEY_MINIMUM_AGE", "RUMMY_MONEY_TERMS",
    "RUMMY_MONEY_LIMITS", "RUMMY_MONEY_GATEWAYS", "RUMMY_MONEY_BANK_DETAILS", "RUMMY_TEST_GATEWAY_SECRET",
})  # fmt: skip


def values(*, rehearsal: bool) -> dict[str, Any]:
    """The settings by name. ValueError names a variable that is no yes or no, or no number."""
    return {
        "REAL_MONEY": env.flag("RUMMY_MONEY"),
        "MONEY_JURISDICTIONS": env.words("RUMMY_MONEY_JURISDICTIONS"),
        "MONEY_MINIMUM_AGE": env.integer("RUMMY_MONEY_MINIMUM_AGE", 0),
        "MONEY_TERMS": env.text("RUMMY_MONEY_TERMS", "1")[:20],
        "DEFAULT_LIMITS": {**DEFAULT_LIMITS, "INR": _limits()},
        "MONEY_GATEWAYS": env.words("RUMMY_MONEY_GATEWAYS"),
        "MONEY_BANK_DETAILS": env.text("RUMMY_MONEY_BANK_DETAILS"),
        "TEST_GATEWAY_SECRET": env.text("RUMMY_TEST_GATEWAY_SECRET"),
        "MONEY_REHEARSAL": rehearsal,
    }


def faults(*, rehearsal: bool) -> list[str]:
    """What is missing for money, a sentence each; empty where money is off. In a rehearsal the test gateway will do."""
    try:
        given = values(rehearsal=rehearsal)
    except ValueError as error:
        return [f"{error}."]
    return lacking(_conditions(given)) if given["REAL_MONEY"] else []


def insist(*, rehearsal: bool) -> None:
    """Return where nothing is missing; otherwise say everything that is, at once, and end the process with 2."""
    missing = faults(rehearsal=rehearsal)
    if missing:
        print(told(missing), file=sys.stderr)  # noqa: T201
        raise SystemExit(2)


def _limits() -> dict[str, int]:
    """`day=500000,week=2000000`: the most that a player without limits of their own puts into play, in paise."""
    found = {}
    for word in env.words("RUMMY_MONEY_LIMITS"):
        span, _, amount = word.partition("=")
        if span not in ("day", "week", "month") or not (amount.isascii() and amount.isdigit() and len(amount) < 16):
            raise ValueError(f"RUMMY_MONEY_LIMITS must read like day=500000,month=2000000, in paise; not {word!r}")
        found[span] = int(amount)
    return found


def _conditions(given: dict[str, Any]) -> Conditions:
    return Conditions(
        jurisdictions=given["MONEY_JURISDICTIONS"],
        age=given["MONEY_MINIMUM_AGE"],
        limits=given["DEFAULT_LIMITS"]["INR"],
        gateways=given["MONEY_GATEWAYS"],
        bank_details=given["MONEY_BANK_DETAILS"],
        test_secret=given["TEST_GATEWAY_SECRET"],
        practice_currency=PRACTICE_CURRENCY,
        rehearsal=given["MONEY_REHEARSAL"],
    )
