"""What real money needs before the platform may start. Pure: the settings ask while they are being read."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

#: Nowhere may anybody younger play for money.
LEAST_AGE = 18
LEAST_SECRET = 32
_JURISDICTION = re.compile(r"[A-Z]{2}(-[A-Z0-9]{1,3})?", re.ASCII)
GATEWAYS = ("bank", "test")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What the operator has said: see config/settings/money.py for where it comes from."""

    jurisdictions: Collection[str]
    age: int
    limits: Mapping[str, int]
    gateways: Collection[str]
    bank_details: str
    test_secret: str
    practice_currency: str
    #: Whether this is a test or a demonstration; nowhere else may the test gateway run.
    rehearsal: bool


def lacking(given: Conditions) -> list[str]:
    """Return every condition that does not hold, each in a sentence that says what to set; empty where all do."""
    return [
        *_places(given.jurisdictions),
        *_age(given.age),
        *_limits(given.limits),
        *_gateways(given),
        *_practice(given),
    ]


def in_words(missing: Collection[str]) -> str:
    """Return all that is missing, in one message."""
    return "Real money is switched on (RUMMY_MONEY), but not everything that it needs is there:\n" + "\n".join(
        f"  - {each}" for each in missing
    )


def _places(codes: Collection[str]) -> list[str]:
    if not codes:
        return ["There are no permitted jurisdictions: RUMMY_MONEY_JURISDICTIONS lists them, such as IN-GA,IN-SK."]
    wrong = [code for code in codes if not _JURISDICTION.fullmatch(code)]
    return [f"RUMMY_MONEY_JURISDICTIONS holds {', '.join(wrong)}, which is no ISO 3166 code."] if wrong else []


def _age(age: int) -> list[str]:
    if not age:
        return ["There is no age check: RUMMY_MONEY_MINIMUM_AGE says how old players must be proved to be."]
    return [f"RUMMY_MONEY_MINIMUM_AGE is {age}, below {LEAST_AGE}."] if age < LEAST_AGE else []


def _limits(limits: Mapping[str, int]) -> list[str]:
    wanted = "RUMMY_MONEY_LIMITS says what each player may put into play, in paise, such as day=500000"
    return [] if limits else [f"There are no default limits: {wanted}."]


def _gateways(given: Conditions) -> list[str]:
    if not given.gateways:
        return ["There is no payment gateway: RUMMY_MONEY_GATEWAYS names one, such as bank."]
    unknown = [name for name in given.gateways if name not in GATEWAYS]
    faults = [f"RUMMY_MONEY_GATEWAYS names {name}, which there is not." for name in unknown]
    if "bank" in given.gateways and not given.bank_details:
        faults.append("There is no bank account to pay to: RUMMY_MONEY_BANK_DETAILS gives name, account and bank.")
    if "test" in given.gateways and not given.rehearsal:
        faults.append("RUMMY_MONEY_GATEWAYS names the test gateway, which runs in tests and demonstrations only.")
    elif "test" in given.gateways and len(given.test_secret) < LEAST_SECRET:
        faults.append(f"The test gateway has no secret: RUMMY_TEST_GATEWAY_SECRET, {LEAST_SECRET} characters or more.")
    return faults


def _practice(given: Conditions) -> list[str]:
    if given.practice_currency == "FUN":
        return []
    return ["PRACTICE_CURRENCY must be FUN: computer players never play for money."]
