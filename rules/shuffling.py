"""The order of a shoe from committed seeds, so that anyone can recompute it. tables/PROTOCOL.md, The proof of a deal.

Nothing here is random: the same seeds give the same order on every machine.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256, shake_256
from typing import Final, TypeVar

from rules.cards import TOSS_PACK, Card, Face, ordered_shoe

T = TypeVar("T")

#: Between the label and the number in the id of a deal whose shoe was fixed beforehand.
_BETWEEN: Final = "/"

_DEAL: Final = b"rummy-deal-v1"
_WORDS: Final = 1 << 16


def fixed_id(label: str, number: int | str) -> str:
    """Return the id of a deal with a shoe that was fixed beforehand under that label.

    >>> label_of(fixed_id("daily-2026-11-27", 451)), number_of("daily-2026-11-27/451"), label_of("451")
    ('daily-2026-11-27', '451', '451')
    """
    return f"{label}{_BETWEEN}{number}"


def is_fixed(deal_id: str) -> bool:
    """Return whether the shoe of the deal was fixed beforehand: other deals may have the same one."""
    return _BETWEEN in deal_id


def label_of(deal_id: str) -> str:
    """Return the text that stands for the deal in the construction: the label of its shoe, else the id itself."""
    return deal_id.rpartition(_BETWEEN)[0] or deal_id


def number_of(deal_id: str) -> str:
    """Return the id without the label of its shoe."""
    return deal_id.rpartition(_BETWEEN)[2]


def commitment(label: int | str, seed: bytes, domain: bytes = _DEAL) -> str:
    """Return the hex digest that binds the server to its seed before a deal without revealing the seed."""
    return sha256(domain + str(label).encode() + seed).hexdigest()


def shoe(deal_id: int | str, seed: bytes, clients: Sequence[bytes], packs: int) -> tuple[Card, ...]:
    """Return the shoe of a deal, first card first; `clients` are the players' seeds in seat order."""
    return shuffled(ordered_shoe(packs), str(deal_id), seed, clients)


def toss(deal_id: int | str, seed: bytes, clients: Sequence[bytes]) -> tuple[Face, ...]:
    """Return the pack of 52 for the toss; the seats take its first cards in seat order."""
    return shuffled(TOSS_PACK, f"{deal_id}/toss", seed, clients)


def reshuffle(
    cards: Sequence[Card], k: int, deal_id: int | str, seed: bytes, clients: Sequence[bytes]
) -> tuple[Card, ...]:
    """Return the new closed deck from these discards, in the order they were made; `k` counts reshuffles from 1."""
    return shuffled(cards, f"{deal_id}/reshuffle-{k}", seed, clients)


def shuffled(
    cards: Sequence[T], label: str, seed: bytes, clients: Sequence[bytes], domain: bytes = _DEAL
) -> tuple[T, ...]:
    """Return the same cards, 65,536 at most, in the order that label, seed and clients decide.

    Fisher-Yates, without modulo bias.
    """
    order = list(cards)
    words = _words(domain + label.encode() + seed + b"".join(clients))
    for last in range(len(order) - 1, 0, -1):
        other = _below(last + 1, words)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def _below(bound: int, words: Iterator[int]) -> int:
    """Return the next number below `bound`, all equally likely: words of the last, incomplete range are skipped."""
    limit = _WORDS - _WORDS % bound
    return next(word for word in words if word < limit) % bound


def _words(material: bytes) -> Iterator[int]:
    """Yield two-byte words without end; a longer digest begins with the shorter one."""
    stream, position, size = shake_256(material), 0, 1024
    while True:
        digest = stream.digest(size)
        for at in range(position, size, 2):
            yield int.from_bytes(digest[at : at + 2], "big")
        position, size = size, size * 2
