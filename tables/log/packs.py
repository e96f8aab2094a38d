"""The format of a pack: a run of events in one row, a line for each event, compressed, sealed, and with a digest.

A line has the version, number, time and kind of the event, and the event exactly as its own row held it, which contains
no line break: `41 0 1800000000000 card_drawn {"type":…}`. So a packed event is read byte for byte as it was before.
"""

import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

from tables.log.sealing import PACKS
from tables.models import Pack

_LEVEL = 9


class BadPack(Exception):
    """The row does not hold the events that were packed; the message says what is wrong and shows no card."""


class PackedEvent(NamedTuple):
    """One event in a pack; `content` is what `rules.game.codec` wrote."""

    version: int
    number: int
    at_ms: int
    kind: str
    content: bytes


def fill(pack: Pack, lines: Iterable[PackedEvent]) -> None:
    """Set the lines, their number and their digest on the row, without saving it; table and versions must be set."""
    written = [_written(line) for line in lines]
    text = b"\n".join(written)
    pack.events = len(written)
    pack.digest = sha256(text).hexdigest()
    pack.content = PACKS.seal(pack, zlib.compress(text, _LEVEL))


def lines(pack: Pack) -> Iterator[PackedEvent]:
    """Return the events packed into the row, in their order. BadPack if anything has changed since."""
    try:
        text = zlib.decompress(PACKS.unseal(pack))
    except Exception as fault:
        raise BadPack(f"cannot be opened: {type(fault).__name__}") from fault
    if sha256(text).hexdigest() != pack.digest:
        raise BadPack("does not have the digest that it had when it was packed")
    read = [_read(line) for line in text.split(b"\n")]
    actual = (len(read), read[0].version, read[-1].version, read[-1].at_ms)
    if actual != (pack.events, pack.first_version, pack.last_version, pack.last_ms):
        raise BadPack(f"does not hold its {pack.events} events of versions {pack.first_version} to {pack.last_version}")
    return iter(read)


def _written(line: PackedEvent) -> bytes:
    return b"%d %d %d %s %s" % (line.version, line.number, line.at_ms, line.kind.encode(), line.content)


def _read(line: bytes) -> PackedEvent:
    version, number, at_ms, kind, content = line.split(b" ", 4)
    return PackedEvent(int(version), int(number), int(at_ms), kind.decode(), content)
