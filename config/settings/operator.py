"""Who runs the place and who answers complaints: what every page of a social game must tell, from the environment."""

import re
from collections.abc import Iterator, Mapping

from config import env

#: What each variable tells, by its name; without those of NEEDED production opens to nobody but its own machine.
VARIABLES: Mapping[str, str] = {
    "RUMMY_OPERATOR_NAME": "name",
    "RUMMY_OPERATOR_ADDRESS": "address",
    "RUMMY_OPERATOR_EMAIL": "email",
    "RUMMY_COMPLAINTS_NAME": "officer",
    "RUMMY_COMPLAINTS_ADDRESS": "officer_address",
    "RUMMY_COMPLAINTS_CONTACT": "officer_contact",
    "RUMMY_NEXT_INSTANCE": "next_instance",
    "RUMMY_CERTIFICATE": "certificate",
}
NEEDED: Mapping[str, str] = {
    "RUMMY_OPERATOR_NAME": "who runs the place",
    "RUMMY_OPERATOR_ADDRESS": "their address",
    "RUMMY_OPERATOR_EMAIL": "their e-mail address",
    "RUMMY_COMPLAINTS_NAME": "the person who answers complaints",
    "RUMMY_COMPLAINTS_ADDRESS": "that person's address",
    "RUMMY_COMPLAINTS_CONTACT": "an e-mail address or a telephone number of theirs",
}
NAMES = frozenset(VARIABLES) | {"RUMMY_MINIMUM_AGE"}
LONGEST = 200
USUAL_AGE, LEAST_AGE, MOST_AGE = 18, 13, 99
#: Hosts that nobody on another machine reaches: a rehearsal, which starts without telling who runs it.
_HERE = frozenset({"127.0.0.1", "localhost", "[::1]"})
_ADDRESS = re.compile(r"[^@\s<>]+@[^@\s<>]+")


def read_operator() -> dict[str, str]:
    """Read what the pages tell, by the names of VARIABLES; empty where it is not told.

    ValueError where a value could not be shown in one line, or is no e-mail address.
    """
    return {key: _line(name) for name, key in VARIABLES.items()}


def minimum_age() -> int:
    """Read RUMMY_MINIMUM_AGE, in years. ValueError where it is no such age."""
    age = env.integer("RUMMY_MINIMUM_AGE", USUAL_AGE)
    if not LEAST_AGE <= age <= MOST_AGE:
        raise ValueError(f"RUMMY_MINIMUM_AGE must be an age from {LEAST_AGE} to {MOST_AGE}, not {age}")
    return age


def unnamed() -> list[str]:
    """Return a sentence for each variable of NEEDED that is not set."""
    return [
        f"{name} is not set: {says}, for every page." for name, says in NEEDED.items() if not env.text(name).strip()
    ]


def demand() -> Iterator[str]:
    """Yield what is missing, unless only this machine reaches the site."""
    hosts = env.words("RUMMY_ALLOWED_HOSTS")
    if not hosts or not _HERE.issuperset(hosts):
        yield from unnamed()


def _line(name: str) -> str:
    text = env.text(name).strip()
    if len(text) > LONGEST or not text.isprintable():
        raise ValueError(f"{name} must be one line of {LONGEST} characters at most")
    if text and name.endswith("_EMAIL") and not _ADDRESS.fullmatch(text):
        raise ValueError(f"{name} has {text[:80]!r}: an address reads name@example.com")
    return text
