"""Files to keep, as responses: one for all of them."""

import asyncio
from collections.abc import AsyncIterator
from io import SEEK_END
from typing import IO

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse

_PIECE = 256 * 1024


def attachment(name: str, content: bytes | IO[bytes], content_type: str, digest: str = "") -> HttpResponseBase:
    """Return the content as a file of that name, which no cache keeps; `digest` is its SHA-256, if it is to be told.

    An open file is sent from its beginning in pieces, and then closed; a temporary one is gone with that.
    """
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store, private"}
    if digest:
        headers["X-Content-SHA256"] = digest
    if isinstance(content, bytes):
        return HttpResponse(content, content_type=content_type, headers=headers)
    headers["Content-Length"] = str(content.seek(0, SEEK_END))
    content.seek(0)
    return StreamingHttpResponse(_pieces(content), content_type=content_type, headers=headers)


async def _pieces(content: IO[bytes]) -> AsyncIterator[bytes]:
    with content:
        while piece := await asyncio.to_thread(content.read, _PIECE):
            yield piece
