"""Finished deals for everybody, in notation: without names, with the month alone, and only where all have agreed.

`manage.py fairness --file` counts them again. A player whose name begins with COMPUTER is a computer player there.
"""

import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, Final

from django.db.models import QuerySet

from rules.books import book
from rules.expectations.tallies import SumKey, Tally, first_hands, tallies, void_tally
from rules.notation import MOST_BYTES, Notation, NotationError, from_events, read, replay, write
from tables.fairness.sums import counted_deals
from tables.history.kept import Kept, kept
from tables.history.selectors import shared_by_all
from tables.log import reading
from tables.log.sealing import SEEDS
from tables.models import Deal
from wallet.base import report_zone

#: So many deals are in one part: they take half a second to tell.
PART: Final = 50
PERSON, COMPUTER = "Person", "Computer"
#: With this line a deal begins in a file of many.
_BEGINS: Final = "[RDN "


def shared_deals(until: datetime) -> QuerySet[Deal]:
    """Return the counted deals of matches that ended until then, all of whose people have agreed; oldest first."""
    counted = counted_deals(ended_until=until).filter(status=Deal.Status.OVER, match__table__log_pruned_at=None)
    return shared_by_all(counted)


def part_of_deals(part: int, until: datetime) -> Kept | None:
    """Return the part with that number, from 1, as one text; None where there is none. Raises TooBusy."""
    deals = list(shared_deals(until)[(part - 1) * PART : part * PART])
    if not deals:
        return None
    key = ("fairness-deals", until, part, tuple(deal.pk for deal in deals))
    return kept(key, lambda: "\n".join(map(_told, deals)).encode())


def _told(deal: Deal) -> str:
    assert deal.ended_at is not None
    names = {each.seat: COMPUTER if each.user_id is None else PERSON for each in deal.seats.all()}
    try:
        notation = from_events(
            book(deal.book, deal.book_version),
            [entry.event() for entry in reading.of_deal(deal)],
            date=f"{deal.ended_at.astimezone(report_zone.zone()):%Y-%m}-01",
            seats=deal.match.table.seats,
            names={seat: f"{name} {seat + 1}" for seat, name in names.items()},
            seed=SEEDS.unseal(deal).hex(),
        )
    except NotationError:
        return f"# Deal {deal.pk} has more moves than a file of the notation.\n"
    return write(notation)


# --- counting them again ----------------------------------------------------------------------------------------------


class BadExport(Exception):
    """What is wrong with a file of deals, in one line."""


def sums_of_files(paths: Iterable[Path]) -> dict[SumKey, Tally]:
    """Return the sums of the deals in these files, each of which is played again. Raises BadExport.

    A file is text with one deal behind the other, or a ZIP of such files.
    """
    sums: defaultdict[SumKey, Tally] = defaultdict(Counter)
    for path in paths:
        for number, text in enumerate(_texts(path), start=1):
            try:
                found = list(_counted(read(text)))
            except (NotationError, ValueError) as error:
                raise BadExport(f"{path.name}, deal {number}: {error}") from error
            for key, tally in found:
                sums[key].update(tally)
    return dict(sums)


def _counted(notation: Notation) -> Iterator[tuple[SumKey, Tally]]:
    happened = [step.event for step in replay(notation)]
    if notation.result is None:
        yield void_tally(notation.book.key, len(notation.dealt))
        return
    computers = [seat for seat, name in enumerate(notation.players) if (name or "").startswith(COMPUTER)]
    yield from tallies(first_hands(notation.book.key, happened, computers))


def _texts(path: Path) -> Iterator[str]:
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for name in sorted(name for name in archive.namelist() if name.endswith(".rdn")):
                    with archive.open(name) as file:
                        yield from _deals_in(file)
        else:
            with path.open("rb") as file:
                yield from _deals_in(file)
    except (OSError, UnicodeDecodeError, zipfile.BadZipFile) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise BadExport(f"{path.name} cannot be read: {reason}") from error


def _deals_in(file: IO[bytes]) -> Iterator[str]:
    """Yield the text of each deal; comments before the first are passed over."""
    lines: list[str] = []
    size = 0
    for raw in iter(lambda: file.readline(MOST_BYTES), b""):
        line = raw.decode("utf-8-sig" if not size else "utf-8")
        if line.startswith(_BEGINS) and lines:
            yield "".join(lines)
            lines, size = [], 0
        if lines or line.startswith(_BEGINS):
            lines.append(line)
        elif line.strip() and not line.startswith("#"):
            raise BadExport(f"{Path(file.name).name} is no file of deals in Rummy Deal Notation")
        size += len(raw)
        if lines and size > 2 * MOST_BYTES:
            raise BadExport("a deal is longer than the notation allows")
    if lines:
        yield "".join(lines)
