"""The preconditions of real money. Pure Python, since the settings check them while they are loaded."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from wallet.payments.identity.jurisdictions import STATES

#: Bounds of the minimum age: nobody younger may play for money anywhere, and a higher minimum is a typing error.
LEAST_AGE, MOST_AGE = 18, 40
LONGEST_TERMS = 20
LEAST_SECRET = 32
_JURISDICTION = re.compile(r"[A-Z]{2}(-[A-Z0-9]{1,3})?", re.ASCII)
GATEWAYS = ("bank", "test")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The operator's settings for real money: see config/settings/money.py."""

    jurisdictions: Collection[str]
    age: int
    limits: Mapping[str, int]
    #: `least` and `most` of one deposit, in paise.
    deposits: Mapping[str, int]
    terms: str
    zone: str
    gateways: Collection[str]
    bank_details: str
    test_secret: str
    practice_currency: str
    #: Whether this is a test or a demonstration: the test gateway runs nowhere else.
    rehearsal: bool


def lacking(conditions: Conditions) -> list[str]:
    """Return every condition that does not hold, each in a sentence that says what to set; empty where all do."""
    return [
        *_places(conditions.jurisdictions),
        *_age(conditions.age),
        *_limits(conditions.limits),
        *_deposits(conditions.deposits),
        *_version(conditions.terms),
        *_zone(conditions.zone),
        *_gateways(conditions),
        *_practice(conditions),
    ]


def in_words(missing: Collection[str]) -> str:
    """Return one message that lists all missing conditions."""
    return "Real money is switched on (RUMMY_MONEY), but not everything that it needs is there:\n" + "\n".join(
        f"  - {each}" for each in missing
    )


def _places(codes: Collection[str]) -> list[str]:
    if not codes:
        return ["There are no permitted jurisdictions: RUMMY_MONEY_JURISDICTIONS lists them, such as IN-GA,IN-SK."]
    wrong = [code for code in codes if not _JURISDICTION.fullmatch(code)]
    if wrong:
        return [f"RUMMY_MONEY_JURISDICTIONS holds {', '.join(wrong)}, which is no ISO 3166 code."]
    unknown = [code for code in codes if code not in STATES]
    fault = "no state or territory of India that we know"
    return [f"RUMMY_MONEY_JURISDICTIONS holds {', '.join(unknown)}: {fault}."] if unknown else []


def _age(age: int) -> list[str]:
    if not age:
        return ["There is no age check: RUMMY_MONEY_MINIMUM_AGE says how old players must be proved to be."]
    if age < LEAST_AGE:
        return [f"RUMMY_MONEY_MINIMUM_AGE is {age}, below {LEAST_AGE}."]
    return [f"RUMMY_MONEY_MINIMUM_AGE is {age}, above {MOST_AGE}: beyond reason."] if age > MOST_AGE else []


def _limits(limits: Mapping[str, int]) -> list[str]:
    form = "RUMMY_MONEY_LIMITS says what each player may put into play, in paise, such as day=500000"
    if not limits:
        return [f"There are no default limits: {form}."]
    empty = [span for span, amount in limits.items() if amount < 1]
    return [f"RUMMY_MONEY_LIMITS lets nobody put anything into play by {', '.join(empty)}: {form}."] if empty else []


def _deposits(bounds: Mapping[str, int]) -> list[str]:
    if 1 <= bounds["least"] <= bounds["most"]:
        return []
    return [f"RUMMY_MONEY_DEPOSITS has the bounds {bounds['least']} and {bounds['most']}, between which nothing is."]


def _version(version: str) -> list[str]:
    if not version:
        return ["The terms have no version: RUMMY_MONEY_TERMS says which one players accept, such as 1."]
    if len(version) > LONGEST_TERMS:
        return [f"RUMMY_MONEY_TERMS is longer than {LONGEST_TERMS} characters: nothing of it is cut off."]
    return []


def _zone(name: str) -> list[str]:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return [f"REPORT_ZONE is {name!r}, which is no time zone: nobody's age and no limit could be reckoned."]
    return []


def _gateways(conditions: Conditions) -> list[str]:
    if not conditions.gateways:
        return ["There is no payment gateway: RUMMY_MONEY_GATEWAYS names one, such as bank."]
    unknown = [name for name in conditions.gateways if name not in GATEWAYS]
    faults = [f"RUMMY_MONEY_GATEWAYS names {name}, which there is not." for name in unknown]
    if "bank" in conditions.gateways and not conditions.bank_details:
        faults.append("There is no bank account to pay to: RUMMY_MONEY_BANK_DETAILS gives name, account and bank.")
    if "test" in conditions.gateways and not conditions.rehearsal:
        faults.append("RUMMY_MONEY_GATEWAYS names the test gateway, which runs in tests and demonstrations only.")
    elif "test" in conditions.gateways and len(conditions.test_secret) < LEAST_SECRET:
        faults.append(f"The test gateway has no secret: RUMMY_TEST_GATEWAY_SECRET, {LEAST_SECRET} characters or more.")
    return faults


def _practice(conditions: Conditions) -> list[str]:
    if conditions.practice_currency == "FUN":
        return []
    return ["PRACTICE_CURRENCY must be FUN: computer players never play for money."]
