"""Finished deals in Rummy Deal Notation: one, or all of a player's history; and those brought in to be studied.

Pages and API give them to whoever may see them.
"""

import asyncio
import hashlib
import sys
import time
from collections.abc import AsyncIterator, Iterable
from datetime import UTC
from pathlib import Path
from typing import IO, Any, Final, cast
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

import rules.notation
from rules.books import BOOKS, book
from rules.errors import quoted
from rules.notation import MOST_BYTES, MOST_MOVES, Notation, NotationError, from_events, read, replay, write
from tables.errors import TableError
from tables.history import selectors as history
from tables.history.filters import HistoryQuery
from tables.history.kept import as_response, kept
from tables.history.replay import dealt_seats, finished_key
from tables.history.sharing import shared_by
from tables.log import reading
from tables.log.sealing import SEEDS
from tables.models import Deal, StudyDeal
from wallet.base import rate_limits
from wallet.base.api import FileNegotiation, player_of, sent_query
from wallet.base.commands import BadInput
from wallet.base.errors import TooMany
from wallet.base.rate_limits import RateLimit
from wallet.finance.own_data import file_or_page
from wallet.language import gettext as _

CONTENT_TYPE = "text/plain; charset=utf-8"
#: Whole histories that one account may take.
WHOLE = RateLimit("whole-history", 10, 3600)
_ROOM: Final = Path(rules.notation.__file__).parent
_GRAMMAR: Final = _ROOM / "grammar.ebnf"
#: All that is published, by name. What else lies there is not.
_FILES: Final = {file.name: file for file in (_ROOM / "README.md", _GRAMMAR, *sorted(_ROOM.glob("worked/*.rdn")))}


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
    return StreamingHttpResponse(_zipped(user, list(deals)), content_type="application/zip", headers=headers)


async def _zipped(user: AbstractBaseUser, deals: Iterable[int]) -> AsyncIterator[bytes]:
    """Yield the archive in pieces, one for each deal; in between rest for as long as that deal took, so that the moves
    of the tables do not wait."""
    out, missing = _Pieces(), []
    with ZipFile(cast(IO[bytes], out), "w", ZIP_DEFLATED) as archive:
        for deal_id in deals:
            began = time.monotonic()
            try:
                ended, text = await sync_to_async(_deal_told)(user, deal_id)
            except TableError as refusal:
                missing.append(f"Deal {deal_id}: {refusal.message}")
                continue
            archive.writestr(ZipInfo(f"deal-{deal_id}.rdn", ended), text, ZIP_DEFLATED)
            yield out.taken()
            await asyncio.sleep(time.monotonic() - began)
        if missing:
            archive.writestr("missing.txt", "\n".join([*missing, ""]))
    yield out.taken()


def _deal_told(user: AbstractBaseUser, deal_id: int) -> tuple[tuple[int, int, int, int, int, int], str]:
    """Return when the user's deal ended, and its text. TableError as `own_deal`."""
    deal = history.own_deal(user, deal_id)
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


# --- deals to study ---------------------------------------------------------------------------------------------------


def content_of(file: str) -> bytes:
    """Return the content of a file in Rummy Deal Notation, of standard input for `-`; never much more than is allowed.

    Raises BadInput if there is no such file.
    """
    try:
        if file == "-":
            return sys.stdin.buffer.read(MOST_BYTES + 1)
        with Path(file).open("rb") as content:
            return content.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{quoted(file, 80)} cannot be read: {error.strerror}") from error


def add_study_deal(deal: Notation) -> bool:
    """Keep the deal for study, once; return whether it is new. NotationError if it cannot have been played."""
    for _step in replay(deal):
        pass
    text = write(deal)
    fields = {"text": text, "book": deal.book.key, "players": len(deal.dealt)}
    digest = hashlib.sha256(text.encode()).hexdigest()
    _stored, is_new = StudyDeal.objects.get_or_create(digest=digest, defaults=fields)
    return is_new


# --- pages and API ----------------------------------------------------------------------------------------------------


@require_GET
def about_notation(request: HttpRequest) -> HttpResponse:
    """Show programmers the notation: its grammar, and the worked files."""
    worked = [(name, read(file.read_bytes())) for name, file in _FILES.items() if file.suffix == ".rdn"]
    context = {
        "grammar": _GRAMMAR.read_text(encoding="utf-8"),
        "worked": [(name, BOOKS[deal.book.key].title, deal) for name, deal in worked],
        "most_bytes": MOST_BYTES,
        "most_moves": MOST_MOVES,
    }
    return render(request, "tables/notation.html", context)


@require_GET
def notation_file(request: HttpRequest, file: str) -> HttpResponse:
    """Return one of the published files."""
    if file not in _FILES:
        raise Http404
    return HttpResponse(_FILES[file].read_bytes(), content_type=CONTENT_TYPE)


@login_required
@require_GET
def history_notation(request: HttpRequest) -> HttpResponseBase:
    """Return the deals that match the query as a ZIP; with a wrong query redirect to the page of the history."""
    return file_or_page(request, HistoryQuery, whole_history, "tables:history")


@require_GET
def shared_notation(request: HttpRequest, token: str) -> HttpResponse:
    """Return the deal to anybody who has its link, without names where they are hidden there."""
    link = shared_by(token)
    if link is None:
        raise Http404
    try:
        answer = as_file(request, link.deal, anonymous=link.names_hidden, account=request.user.pk)
    except TableError as refusal:
        raise Http404 from refusal
    answer["X-Robots-Tag"] = "noindex"
    return answer


class InNotation(APIView):
    """A finished deal in Rummy Deal Notation, which `/api/notation/` explains."""

    content_negotiation_class = FileNegotiation

    @extend_schema(operation_id="deal_in_notation", responses={(200, "text/plain"): OpenApiTypes.STR})
    def get(self, request: Request, deal_id: int) -> HttpResponse:
        player = player_of(request)
        return as_file(request, history.own_deal(player, deal_id), anonymous=False, account=player.pk)


class HistoryInNotation(APIView):
    content_negotiation_class = FileNegotiation

    @extend_schema(
        operation_id="history_in_notation",
        parameters=[HistoryQuery],
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """Return the player's scored deals of a period in Rummy Deal Notation, oldest first.

        A ZIP with a file for each, sent as it is made.
        """
        return whole_history(player_of(request), **sent_query(HistoryQuery, request))
