"""Real money: off unless RUMMY_MONEY is on, and then only with everything that it needs. wallet/README.md says what."""

import sys
from dataclasses import dataclass

from config import env
from config.settings.base import DEFAULT_LIMITS, MONEY_DEPOSITS, PRACTICE_CURRENCY, REPORT_ZONE
from wallet.payments.identity.preconditions import Conditions, in_words, lacking

#: What production and the trial read for it.
NAMES = frozenset({
    "RUMMY_MONEY", "RUMMY_MONEY_JURISDICTIONS", "RUMMY_MONEY_MINIMUM_AGE", "RUMMY_MONEY_TERMS",
    "RUMMY_MONEY_LIMITS", "RUMMY_MONEY_DEPOSITS", "RUMMY_MONEY_GATEWAYS", "RUMMY_MONEY_BANK_DETAILS",
    "RUMMY_TEST_GATEWAY_SECRET",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """What the environment says of real money; config/settings/base.py says what each setting of it means."""

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
    """Read the environment. ValueError names a variable that is no yes or no, or no number."""
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
    """Return what is missing for money, a sentence each; empty where money is off.

    In a rehearsal the test gateway will do, and no other: there are accounts of staff with published passwords.
    """
    try:
        given = read()
    except ValueError as error:
        return [f"{error}."]
    if not given.real:
        return []
    published = "play has accounts of finance with published passwords, and takes no money of a real bank"
    risky = [f"RUMMY_MONEY_GATEWAYS names bank: {published}. Give test."] if "bank" in given.gateways else []
    return [*lacking(_conditions(given, rehearsal)), *(risky if rehearsal else [])]


def insist_on_money(*, rehearsal: bool) -> None:
    """Return where nothing is missing; otherwise say everything that is, at once, and end the process with 2."""
    missing = money_faults(rehearsal=rehearsal)
    if missing:
        print(in_words(missing), file=sys.stderr)  # noqa: T201
        raise SystemExit(2)


def _amounts(name: str, known: tuple[str, ...], example: str) -> dict[str, int]:
    """Read `day=500000,week=2000000`: an amount in paise for each of the `known` words that is given."""
    found = {}
    for word in env.words(name):
        what, _, amount = word.partition("=")
        if what not in known or not (amount.isascii() and amount.isdigit() and len(amount) < 16):
            raise ValueError(f"{name} must read like {example}, in paise; not {word!r}")
        found[what] = int(amount)
    return found


def _conditions(given: Money, rehearsal: bool) -> Conditions:
    return Conditions(
        jurisdictions=given.jurisdictions,
        age=given.minimum_age,
        limits=given.limits["INR"],
        deposits=given.deposits,
        terms=given.terms,
        zone=REPORT_ZONE,
        gateways=given.gateways,
        bank_details=given.bank_details,
        test_secret=given.test_secret,
        practice_currency=PRACTICE_CURRENCY,
        rehearsal=rehearsal,
    )
