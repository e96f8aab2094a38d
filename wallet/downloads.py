"""An export as an answer: sent in pieces, from a file that is gone when the last has left."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import IO, Any

from django.contrib.auth.models import AbstractBaseUser
from django.http import StreamingHttpResponse

from wallet.exports import FORMATS, Period, export

PIECE = 256 * 1024


def download(*, period: Period, currency: str, format: str, by: AbstractBaseUser, via: str) -> StreamingHttpResponse:
    """The export, recorded as taken by `by`. It is written whole before the first byte leaves: what fails is no file.

    No slow line holds the snapshot of the database open.
    """
    with ExitStack() as open_files:
        made = export(period=period, currency=currency, format=format, by=by, via=via)
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


async def pieces(content: IO[bytes]) -> AsyncIterator[bytes]:
    """The open file lives on without its name, and ends with this."""
    with content:
        while piece := await asyncio.to_thread(content.read, PIECE):
            yield piece
