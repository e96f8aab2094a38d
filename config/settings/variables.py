"""The variables of the environment, each declared once: its name, its kind, and what it is where it is not set.

Settings call them. Before that each of them is read (`production_checks`), and production refuses any other name that
begins with RUMMY_. What they mean to whoever runs the platform is in config/deploy/README.md.
"""

import re
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from config import env

T = TypeVar("T")
LONGEST: Final = 200
#: A hundred years in hours, for whatever is kept.
_MOST_KEPT: Final = 876_600
_ADDRESS: Final = re.compile(r"[^@\s<>]+@[^@\s<>]+")


class Variable(Generic[T]):
    """A variable; called, it returns its value. ValueError says in one sentence why it cannot be read.

    `read` is its kind: a function of its name and its usual value. Production refuses one that is for trials alone.
    """

    def __init__(self, name: str, read: Callable[[str, T], T], usual: T, *, for_trials: bool = False) -> None:
        self.name, self.usual, self.for_trials = name, usual, for_trials
        self._read = read
        DECLARED.append(self)

    def __call__(self, usual: T | None = None) -> T:
        """Return the value; where the variable is not set `usual`, by default that of the declaration."""
        return self._read(self.name, self.usual if usual is None else usual)


#: All that are declared: here, in `mail` and in `operator`.
DECLARED: Final[list[Variable[Any]]] = []


def comma_separated(name: str, usual: list[str]) -> list[str]:
    """Return the variable split at commas, blanks dropped."""
    return [word for part in env.text(name).split(",") if (word := part.strip())] or usual


def whole_number(least: int, most: int, says: str = "a whole number") -> Callable[[str, int], int]:
    """Return the kind of whole numbers in these bounds; `says` is what its refusal calls them."""

    def read(name: str, usual: int) -> int:
        text = env.text(name).strip()
        number = usual if not text else int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None
        if number is None or not least <= number <= most:
            raise ValueError(f"{name} must be {says} from {least} to {most}, not {text[:40]!r}")
        return number

    return read


def one_of(*choices: str) -> Callable[[str, str], str]:
    """Return the kind that takes one of these words."""

    def read(name: str, usual: str) -> str:
        text = env.text(name, usual)
        if text not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, not {text[:40]!r}")
        return text

    return read


def one_line(name: str, usual: str) -> str:
    """Return the text of the variable, which a page shows in one line."""
    text = env.text(name, usual).strip()
    if len(text) > LONGEST or not text.isprintable():
        raise ValueError(f"{name} must be one line of {LONGEST} characters at most")
    return text


def email_address(name: str, usual: str) -> str:
    """Return the e-mail address of the variable; empty where there is none."""
    text = one_line(name, usual)
    return checked_address(name, text) if text else ""


def checked_address(name: str, text: str) -> str:
    """Return the text. ValueError, which names the variable, if it is no e-mail address."""
    if not _ADDRESS.fullmatch(text):
        raise ValueError(f"{name} has {text[:80]!r}: an address reads name@example.com")
    return text


SECRET_KEY = Variable("RUMMY_SECRET_KEY", env.text, "")
NEXT_SECRET_KEY = Variable[list[str]]("RUMMY_NEXT_SECRET_KEY", comma_separated, [])
OLD_SECRET_KEYS = Variable[list[str]]("RUMMY_OLD_SECRET_KEYS", comma_separated, [])
ALLOWED_HOSTS = Variable[list[str]]("RUMMY_ALLOWED_HOSTS", comma_separated, [])
TRUSTED_ORIGINS = Variable[list[str]]("RUMMY_TRUSTED_ORIGINS", comma_separated, [])
DATABASE_URL = Variable("RUMMY_DATABASE_URL", env.text, "")
REDIS_URL = Variable("RUMMY_REDIS_URL", env.text, "")
REDIS_PREFIX = Variable("RUMMY_REDIS_PREFIX", env.text, "")
DATA = Variable("RUMMY_DATA", env.text, "")
METRICS_TOKEN = Variable("RUMMY_METRICS_TOKEN", env.text, "")
LOG_LEVEL = Variable("RUMMY_LOG_LEVEL", one_of("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"), "INFO")
#: Proxies in front of a web process, of our own; more are a mistake.
PROXIES = Variable("RUMMY_PROXIES", whole_number(0, 5, "the number of proxies in front,"), 0)
SOCKETS_PER_ADDRESS = Variable(
    "RUMMY_SOCKETS_PER_ADDRESS", whole_number(1, 999_999, "how many sockets one address may hold,"), 600
)
SSL_REDIRECT = Variable("RUMMY_SSL_REDIRECT", env.flag, True)
STAFF_TOTP = Variable("RUMMY_STAFF_TOTP", env.flag, True)
COMPUTER_PLAYERS = Variable("RUMMY_COMPUTER_PLAYERS", env.flag, True)
#: How long what is kept: an answer must outlive a client that tries again, a log a dispute.
ANSWERS_KEPT_HOURS = Variable("RUMMY_ANSWERS_KEPT_HOURS", whole_number(1, _MOST_KEPT), 24)
EVENTS_KEPT_HOURS = Variable("RUMMY_EVENTS_KEPT_HOURS", whole_number(0, _MOST_KEPT), 12)
SNAPSHOTS_KEPT_DAYS = Variable("RUMMY_SNAPSHOTS_KEPT_DAYS", whole_number(1, _MOST_KEPT), 30)
PACKED_EVENTS_KEPT_DAYS = Variable("RUMMY_PACKED_EVENTS_KEPT_DAYS", whole_number(90, _MOST_KEPT), 3_653)
GUESTS_KEPT_DAYS = Variable("RUMMY_GUESTS_KEPT_DAYS", whole_number(1, _MOST_KEPT), 14)
MINIMUM_AGE = Variable("RUMMY_MINIMUM_AGE", whole_number(13, 99, "an age"), 18)
DEBUG = Variable("RUMMY_DEBUG", env.flag, False, for_trials=True)
COMPUTER_PACE_PERCENT = Variable("RUMMY_COMPUTER_PACE_PERCENT", whole_number(0, 100_000), 100, for_trials=True)
