"""Finished deals in Rummy Deal Notation: one, or all of a player's history; and those brought in to be studied."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Iterable
from datetime import UTC
from typing import IO, Any, cast
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from asgiref.sync import sync_to_async
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpResponse, StreamingHttpResponse

from rules.books import book
from rules.notation import Notation, NotationError, from_events, replay, write
from tables.errors import TableError
from tables.history import selectors as history
from tables.history.kept import as_response, kept
from tables.history.replay import dealt_seats, finished_key
from tables.log import reading
from tables.log.sealing import SEEDS
from tables.models import Deal, StudyDeal
from wallet.base import rate_limits
from wallet.base.errors import TooMany
from wallet.base.rate_limits import RateLimit
from wallet.language import gettext as _

CONTENT_TYPE = "text/plain; charset=utf-8"
#: Whole histories that one account may take.
WHOLE = RateLimit("whole-history", 10, 3600)


def deal_in_notation(deal: Deal, *, anonymous: bool = False) -> Notation:
    """Return the finished deal in notation; anonymous: players are numbered, and only the day is told.

    TableError `no_longer_kept`, `never_dealt`, `too_long`; ValueError before the deal has ended.
    """
    if deal.ended_at is None:
        raise ValueError("a deal is not told before it has ended")
    entries = reading.of_deal(deal)
    if deal.started_at is None or not deal.order:
        raise TableError("never_dealt", _("The cards of this deal were never dealt."), status=404)
    form = "%Y-%m-%d" if anonymous else "%Y-%m-%dT%H:%M:%SZ"
    try:
        return from_events(
            book(deal.book, deal.book_version),
            [entry.event() for entry in entries],
            date=deal.started_at.astimezone(UTC).strftime(form),
            seats=deal.match.table.seats,
            names=None if anonymous else {each.seat: each.seating.name for each in dealt_seats(deal)},
            seed=SEEDS.unseal(deal).hex(),
            times=None if anonymous else [entry.at_ms for entry in entries],
        )
    except NotationError as error:
        raise TableError("too_long", _("This deal has more moves than a file of the notation.")) from error


def as_file(request: Any, deal: Deal, *, anonymous: bool, account: int | None) -> HttpResponse:
    """Return the deal in notation as a file to keep; it is made only once. Raises TooBusy, TooMany, TableError."""
    names = tuple(each.seating.name for each in dealt_seats(deal))
    key = ("rdn", *finished_key(deal), anonymous or names)
    answer = kept(key, lambda: write(deal_in_notation(deal, anonymous=anonymous)).encode(), account=account)
    response = as_response(request, answer, CONTENT_TYPE)
    response["Content-Disposition"] = f'attachment; filename="deal-{deal.pk}.rdn"'
    return response


# --- a whole history --------------------------------------------------------------------------------------------------


def whole_history(user: AbstractBaseUser, **query: Any) -> StreamingHttpResponse:
    """Return a ZIP of the user's scored deals that match the query (see `filters.filter_deals`), oldest first.

    It is sent as it is made, deal by deal; what cannot be told is listed in a file of its own. Raises TooMany.
    """
    if not rate_limits.count_tries([(WHOLE, WHOLE.key(user.pk))]):
        raise TooMany(WHOLE.seconds)
    deals = history.finished_deals(user, **query).order_by("id").values_list("deal_id", flat=True)
    headers = {"Content-Disposition": 'attachment; filename="deals.zip"', "Cache-Control": "no-store, private"}
    return StreamingHttpResponse(_zipped(list(deals)), content_type="application/zip", headers=headers)


async def _zipped(deals: Iterable[int]) -> AsyncIterator[bytes]:
    """Yield the archive in pieces, one for each deal; in between rest for as long as that deal took, so that the moves
    of the tables do not wait."""
    out, missing = _Pieces(), []
    with ZipFile(cast(IO[bytes], out), "w", ZIP_DEFLATED) as archive:
        for deal_id in deals:
            began = time.monotonic()
            try:
                ended, text = await sync_to_async(_deal_told)(deal_id)
            except TableError as refusal:
                missing.append(f"Deal {deal_id}: {refusal.message}")
                continue
            archive.writestr(ZipInfo(f"deal-{deal_id}.rdn", ended), text, ZIP_DEFLATED)
            yield out.taken()
            await asyncio.sleep(time.monotonic() - began)
        if missing:
            archive.writestr("missing.txt", "\n".join([*missing, ""]))
    yield out.taken()


def _deal_told(deal_id: int) -> tuple[tuple[int, int, int, int, int, int], str]:
    """Return when the deal ended, and its text."""
    deal = history.open_deals().filter(pk=deal_id).first()
    if deal is None:
        raise TableError("not_open", _("Others may still play this shoe: it is told when the time for that is over."))
    assert deal.ended_at is not None
    at = deal.ended_at
    return (at.year, at.month, at.day, at.hour, at.minute, at.second), write(deal_in_notation(deal))


class _Pieces:
    """A file that is only written, and given away piece by piece."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def write(self, content: bytes) -> int:
        self._held.append(bytes(content))
        return len(content)

    def flush(self) -> None:
        """Keep what is held: it is taken, not flushed."""

    def taken(self) -> bytes:
        held, self._held = b"".join(self._held), []
        return held


def add_study_deal(deal: Notation) -> bool:
    """Keep the deal for study, once; return whether it is new. NotationError if it cannot have been played."""
    for _step in replay(deal):
        pass
    text = write(deal)
    fields = {"text": text, "book": deal.book.key, "players": len(deal.dealt)}
    digest = hashlib.sha256(text.encode()).hexdigest()
    _stored, is_new = StudyDeal.objects.get_or_create(digest=digest, defaults=fields)
    return is_new
