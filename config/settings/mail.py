"""E-mail: off unless RUMMY_EMAIL_HOST names a server. `play` then writes each mail into a folder of its data."""

import re
from dataclasses import dataclass

from config import env
from config.settings.variables import Variable, checked_address, comma_separated, one_of, whole_number

#: The ways of encrypting the connection to the server, each with its usual port.
PORTS = {"starttls": 587, "tls": 465, "none": 25}
_HOST = Variable("RUMMY_EMAIL_HOST", env.text, "")
_PORT = Variable("RUMMY_EMAIL_PORT", whole_number(1, 65_535, "a port"), PORTS["starttls"])
_USER = Variable("RUMMY_EMAIL_USER", env.text, "")
_PASSWORD = Variable("RUMMY_EMAIL_PASSWORD", env.text, "")
_SECURITY = Variable("RUMMY_EMAIL_SECURITY", one_of(*PORTS), "starttls")
_FROM = Variable("RUMMY_EMAIL_FROM", env.text, "")
_SITE = Variable("RUMMY_EMAIL_SITE", env.text, "")
_HEADS_TO = Variable[list[str]]("RUMMY_HEADS_TO", comma_separated, [])
#: Django's own backends: none, a file for each mail, a server.
OFF = "django.core.mail.backends.dummy.EmailBackend"
IN_FILES = "django.core.mail.backends.filebased.EmailBackend"
BY_SERVER = "django.core.mail.backends.smtp.EmailBackend"
_SENDER = re.compile(r"[^@\s<>]+@[^@\s<>]+|[^<>\r\n]+ <[^@\s<>]+@[^@\s<>]+>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """The settings of e-mail from the environment; `site` is the origin of links in mails.

    `heads_to` are the addresses to which the heads of the days go.
    """

    host: str
    port: int
    user: str
    password: str
    security: str
    sender: str
    site: str
    heads_to: list[str]

    @property
    def backend(self) -> str:
        return BY_SERVER if self.host else OFF


def read_mail() -> Mail:
    """Read the settings of e-mail from the environment. ValueError names a missing or wrong variable."""
    settings = Mail(
        host=_HOST(),
        port=_PORT(PORTS[_SECURITY()]),
        user=_USER(),
        password=_PASSWORD(),
        security=_SECURITY(),
        sender=_FROM(),
        site=_SITE(),
        heads_to=_HEADS_TO(),
    )
    _check(settings)
    return settings


def _check(settings: Mail) -> None:
    names = sorted(env.variables("RUMMY_EMAIL_") | env.variables("RUMMY_HEADS_TO"))
    if not settings.host and names:
        raise ValueError(f"{names[0]} is set, and RUMMY_EMAIL_HOST names no server to send mails by")
    if settings.host and not _SENDER.fullmatch(settings.sender):
        raise ValueError("RUMMY_EMAIL_HOST is set, and RUMMY_EMAIL_FROM does not read Name <name@example.com>")
    if settings.host and not re.fullmatch(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?", settings.site):
        reason = "RUMMY_EMAIL_HOST and RUMMY_EMAIL_FROM are set, and RUMMY_EMAIL_SITE, with which links begin,"
        raise ValueError(f"{reason} does not read https://name")
    for address in settings.heads_to:
        checked_address("RUMMY_HEADS_TO", address)
