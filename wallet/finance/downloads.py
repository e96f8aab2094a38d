"""Exports as HTTP responses, sent in pieces from a file that is deleted when the last piece has been sent."""

from contextlib import ExitStack

from django.contrib.auth.models import AbstractBaseUser
from django.core.cache import cache
from django.http import HttpResponseBase

from wallet.base.attachments import attachment
from wallet.finance.exports import FORMATS, Period, export

#: Seconds for which the progress of an export is stored.
PROGRESS_KEPT = 3600


def download(
    *,
    period: Period,
    currency: str,
    format: str,
    as_of: int | None = None,
    by: AbstractBaseUser,
    via: str,
    ticket: str = "",
) -> HttpResponseBase:
    """Return the export as a response, recorded with the user `by`.

    The whole file is written before the first byte is sent: a failure leaves no file, and a slow client does not keep
    the database snapshot open. `progress` returns how far it is, by its ticket.
    """

    def report(rows: int, total: int) -> None:
        if ticket:
            cache.set(_cache_key(by, ticket), (rows, total), PROGRESS_KEPT)

    with ExitStack() as open_files:
        exported = export(
            period=period,
            currency=currency,
            format=format,
            as_of=as_of,
            by=by,
            via=via,
            progress=report if ticket else None,
        )
        path, record = open_files.enter_context(exported)
        content = path.open("rb")
    name = f"ledger_{period.first}_{period.last}{f'_{currency}' if currency else ''}.{FORMATS[format].ending}"
    return attachment(name, content, FORMATS[format].type, record.digest)


def progress(by: AbstractBaseUser, ticket: str) -> dict[str, int] | None:
    """Return the written rows, and all rows, of the export that `by` requested with that ticket.

    None if unknown.
    """
    stored = cache.get(_cache_key(by, ticket))
    return None if stored is None else {"rows": stored[0], "of": stored[1]}


def _cache_key(by: AbstractBaseUser, ticket: str) -> str:
    return f"export:{by.pk}:{ticket}"
