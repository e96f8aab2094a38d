"""Who runs the place and who answers complaints: what every page of a social game must tell, from the environment."""

from collections.abc import Iterator, Mapping

from config import env
from config.settings.variables import ALLOWED_HOSTS, Variable, email_address, one_line

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
_LINES = {
    key: Variable(name, email_address if name.endswith("_EMAIL") else one_line, "") for name, key in VARIABLES.items()
}
#: Hosts that nobody on another machine reaches: a rehearsal, which starts without telling who runs it.
_HERE = frozenset({"127.0.0.1", "localhost", "[::1]"})


def read_operator() -> dict[str, str]:
    """Read what the pages tell, by the names of VARIABLES; empty where it is not told. ValueError."""
    return {key: variable() for key, variable in _LINES.items()}


def unnamed() -> list[str]:
    """Return a sentence for each variable of NEEDED that is not set."""
    return [
        f"{name} is not set: {says}, for every page." for name, says in NEEDED.items() if not env.text(name).strip()
    ]


def demand() -> Iterator[str]:
    """Yield what is missing, unless only this machine reaches the site."""
    hosts = ALLOWED_HOSTS()
    if not hosts or not _HERE.issuperset(hosts):
        yield from unnamed()
