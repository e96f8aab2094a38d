"""Real money: off unless RUMMY_MONEY is on, and then only with all that it requires: see wallet/README.md."""

import sys
from dataclasses import dataclass

from config import env
from config.settings.base import DEFAULT_LIMITS, MONEY_DEPOSITS, PRACTICE_CURRENCY, REPORT_ZONE
from wallet.payments.identity.preconditions import Conditions, in_words, lacking

#: The variables that production and the trial read for real money.
NAMES = frozenset({
    "RUMMY_MONEY", "RUMMY_MONEY_JURISDICTIONS", "RUMMY_MONEY_MINIMUM_AGE", "RUMMY_MONEY_TERMS",
    "RUMMY_MONEY_LIMITS", "RUMMY_MONEY_DEPOSITS", "RUMMY_MONEY_GATEWAYS", "RUMMY_MONEY_BANK_DETAILS",
    "RUMMY_TEST_GATEWAY_SECRET",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """The settings of real money from the environment; config/settings/base.py explains each of them."""

    real: bool
    jurisdictions: list[str]
    minimum_age: int
    terms: str
    limits: dict[str, dict[str, int]]
    deposits: dict[str, int]
    gateways: list[str]
    bank_details: str
    test_secret: str


def read() -> Money:
    """Read the settings of real money from the environment. ValueError names a variable with a wrong value."""
    return Money(
        real=env.flag("RUMMY_MONEY"),
        jurisdictions=env.words("RUMMY_MONEY_JURISDICTIONS"),
        minimum_age=env.integer("RUMMY_MONEY_MINIMUM_AGE", 0),
        terms=env.text("RUMMY_MONEY_TERMS"),
        limits={**DEFAULT_LIMITS, "INR": _amounts("RUMMY_MONEY_LIMITS", ("day", "week", "month"), "day=500000")},
        deposits={**MONEY_DEPOSITS, **_amounts("RUMMY_MONEY_DEPOSITS", ("least", "most"), "least=1000,most=500000")},
        gateways=env.words("RUMMY_MONEY_GATEWAYS"),
        bank_details=env.text("RUMMY_MONEY_BANK_DETAILS"),
        test_secret=env.text("RUMMY_TEST_GATEWAY_SECRET"),
    )


def money_faults(*, rehearsal: bool) -> list[str]:
    """Return a sentence for each thing that real money lacks; an empty list if it is off.

    A rehearsal allows only the test gateway, since there staff accounts have published passwords.
    """
    try:
        money = read()
    except ValueError as error:
        return [f"{error}."]
    if not money.real:
        return []
    published = "play has accounts of finance with published passwords, and takes no money of a real bank"
    risky = [f"RUMMY_MONEY_GATEWAYS names bank: {published}. Give test."] if "bank" in money.gateways else []
    return [*lacking(_conditions(money, rehearsal)), *(risky if rehearsal else [])]


def check_money(*, rehearsal: bool) -> None:
    """Return if nothing is missing; otherwise print all faults and end the process with 2."""
    missing = money_faults(rehearsal=rehearsal)
    if missing:
        print(in_words(missing), file=sys.stderr)  # noqa: T201
        raise SystemExit(2)


def _amounts(name: str, names: tuple[str, ...], example: str) -> dict[str, int]:
    """Read a variable such as `day=500000,week=2000000`; return the amounts in paise of those `names` that it has."""
    amounts = {}
    for word in env.words(name):
        key, _, amount = word.partition("=")
        if key not in names or not (amount.isascii() and amount.isdigit() and len(amount) < 16):
            raise ValueError(f"{name} must read like {example}, in paise; not {word!r}")
        amounts[key] = int(amount)
    return amounts


def _conditions(money: Money, rehearsal: bool) -> Conditions:
    return Conditions(
        jurisdictions=money.jurisdictions,
        age=money.minimum_age,
        limits=money.limits["INR"],
        deposits=money.deposits,
        terms=money.terms,
        zone=REPORT_ZONE,
        gateways=money.gateways,
        bank_details=money.bank_details,
        test_secret=money.test_secret,
        practice_currency=PRACTICE_CURRENCY,
        rehearsal=rehearsal,
    )
