"""Answers that are costly to make and never change: each is made once and kept, compressed, in this process.

They are not in Redis, which others may read: a finished deal shows all hands, but only to those who may see them.
"""

import hashlib
import re
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers

from wallet.base import rate_limits
from wallet.base.errors import TooMany
from wallet.base.rate_limits import RateLimit, WorkLimit

#: The most bytes that a process keeps, compressed: some 500 deals of 400 turns with all that is made of them.
MOST_BYTES = 16 * 1024 * 1024
#: Answers that one account may have made anew in a minute, of those that take longer than `COSTLY` seconds.
ANEW, COSTLY = RateLimit("made-anew", 60, 60), 0.1
#: They are made one at a time: together they would take no less time, and the moves of the tables much longer.
PLACES = WorkLimit(at_once=1, waiting=40, patience=10)


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer, compressed with gzip, and its digest, which is its ETag."""

    packed: bytes
    digest: str

    def content(self) -> bytes:
        return zlib.decompress(self.packed, wbits=_GZIP)


_GZIP = 16 + zlib.MAX_WBITS
#: gzip in `Accept-Encoding`, unless refused by the weight 0.
_ACCEPTS_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))", re.IGNORECASE)
_lock = threading.Lock()
#: The answers by key, the one used last at the end.
_kept: OrderedDict[Hashable, Kept] = OrderedDict()


def kept(key: Hashable, make: Callable[[], bytes], *, account: int | None = None) -> Kept:
    """Return the answer with this key, which must name all that it depends on; `make` makes it where there is none.

    TooBusy while too many wait for others, TooMany for an account that has had too many made.
    """
    if (found := _find(key)) is not None:
        return found
    with PLACES.place():
        # Whoever waited for a place may have waited for this very answer.
        return _find(key) or _store(key, _made(make, account))


def _find(key: Hashable) -> Kept | None:
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
        return _kept.get(key)


def _store(key: Hashable, content: bytes) -> Kept:
    packer = zlib.compressobj(6, wbits=_GZIP)
    answer = Kept(packer.compress(content) + packer.flush(), hashlib.sha256(content).hexdigest()[:32])
    with _lock:
        _kept[key] = answer
        size = sum(len(each.packed) for each in _kept.values())
        while size > MOST_BYTES:
            size -= len(_kept.popitem(last=False)[1].packed)
    return answer


def _made(make: Callable[[], bytes], account: int | None) -> bytes:
    counted = [(ANEW, ANEW.key(account))] if account is not None else []
    if not rate_limits.count_tries(counted):
        raise TooMany(ANEW.seconds)
    began = time.monotonic()
    content = make()
    if time.monotonic() - began < COSTLY:
        rate_limits.forgive(counted)
    return content


def accepts_gzip(request: HttpRequest) -> bool:
    """Return whether the client reads gzip."""
    return _ACCEPTS_GZIP.search(request.headers.get("Accept-Encoding", "")) is not None


def as_response(request: Any, answer: Kept, content_type: str) -> HttpResponse:
    """Return the answer as it is kept to clients that read gzip, with an ETag; 304 to those who have it already."""
    packed = accepts_gzip(request)
    etag = f'"{answer.digest}{"-gzip" if packed else ""}"'
    response = HttpResponse(answer.packed if packed else answer.content(), content_type=content_type)
    if packed:
        response["Content-Encoding"] = "gzip"
    response["ETag"] = etag
    patch_vary_headers(response, ["Accept-Encoding"])
    unchanged = get_conditional_response(request, etag=etag, response=response)
    assert isinstance(unchanged, HttpResponse)
    return unchanged
