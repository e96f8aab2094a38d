"""An export as an answer: sent in pieces, from a file that is gone when the last has left."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import IO, Any

from django.contrib.auth.models import AbstractBaseUser
from django.core.cache import cache
from django.http import StreamingHttpResponse

from wallet.finance.exports import FORMATS, Period, export

PIECE = 256 * 1024
#: Seconds for which it is known how far an export has come.
REMEMBERED = 3600


def download(
    *,
    period: Period,
    currency: str,
    format: str,
    as_of: int | None = None,
    by: AbstractBaseUser,
    via: str,
    ticket: str = "",
) -> StreamingHttpResponse:
    """Return the export, recorded as taken by `by`.

    It is written whole before the first byte leaves: what fails is no file.

    No slow line holds the snapshot of the database open. `progress` tells whoever has the ticket how far it is.
    """

    def tell(done: int, total: int) -> None:
        if ticket:
            cache.set(_known_by(by, ticket), (done, total), REMEMBERED)

    with ExitStack() as open_files:
        made = export(
            period=period,
            currency=currency,
            format=format,
            as_of=as_of,
            by=by,
            via=via,
            progress=tell if ticket else None,
        )
        path, record = open_files.enter_context(made)
        size, content = path.stat().st_size, path.open("rb")
    name = f"ledger_{period.first}_{period.last}{f'_{currency}' if currency else ''}.{format}"
    headers: dict[str, Any] = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Length": str(size),
        "Cache-Control": "no-store, private",
        "X-Content-SHA256": record.digest,
    }
    return StreamingHttpResponse(pieces(content), content_type=FORMATS[format][1], headers=headers)


def progress(by: AbstractBaseUser, ticket: str) -> dict[str, int] | None:
    """Return how many rows of how many are written of the export that `by` asked for with that ticket.

    None if unknown.
    """
    known = cache.get(_known_by(by, ticket))
    return None if known is None else {"rows": known[0], "of": known[1]}


def _known_by(by: AbstractBaseUser, ticket: str) -> str:
    return f"export:{by.pk}:{ticket}"


async def pieces(content: IO[bytes]) -> AsyncIterator[bytes]:
    """Read the open file, which lives on without its name, and ends with this."""
    with content:
        while piece := await asyncio.to_thread(content.read, PIECE):
            yield piece
