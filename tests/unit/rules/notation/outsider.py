"""A reader and writer of the notation that somebody else wrote, from the published sentences alone.

It shares no line with the product: cards, shoe, piles and hands are its own.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Any

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]


def parse(text: str) -> dict[str, Any]:
    """Return headers and moves, without any judgement."""
    head, _, tail = text.partition("\n\n")
    headers = dict(re.findall(r'^\[(\w+) "(.*)"\]$', head, re.MULTILINE))
    return {"headers": headers, "moves": [line.split() for line in tail.splitlines() if line]}


def write(deal: dict[str, Any]) -> str:
    lines = [f'[{name} "{value}"]' for name, value in deal["headers"].items()]
    return "\n".join([*lines, "", *(" ".join(words) for words in deal["moves"])]) + "\n"


def shuffled(cards: list[str], label: str, seed: bytes, clients: list[bytes]) -> list[str]:
    cards = list(cards)
    stream = hashlib.shake_256(b"rummy-deal-v1" + label.encode() + seed + b"".join(clients)).digest(4_000)
    words = (stream[at] * 256 + stream[at + 1] for at in range(0, len(stream), 2))
    for i in reversed(range(1, len(cards))):
        word = next(words)
        while word >= 65536 - 65536 % (i + 1):
            word = next(words)
        cards[i], cards[word % (i + 1)] = cards[word % (i + 1)], cards[i]
    return cards


class Table:
    """The cards of a deal, moved as the lines say; AssertionError where they cannot be."""

    def __init__(self, deal: dict[str, Any]) -> None:
        self.headers, self.moves = deal["headers"], deal["moves"]
        self.is_blind = "blind" in self.headers["Book"]
        seats = [int(part.split(":")[0]) for part in self.headers["Result"].split()]
        first = int(self.headers["First"])
        self.order = [seat for seat in seats if seat >= first] + [seat for seat in seats if seat < first]
        self.seed = bytes.fromhex(self.headers["Seed"])
        self.clients = [
            bytes.fromhex(self.headers[f"Client{seat}"]) for seat in range(6) if f"Client{seat}" in self.headers
        ]
        promised = hashlib.sha256(b"rummy-deal-v1" + self.headers["Deal"].encode() + self.seed).hexdigest()
        assert promised == self.headers["Commitment"]
        suits = [f"{rank}{suit}" for suit in "CDHS" for rank in RANKS]
        shoe = [f"{face}{pack}" for pack in range(1, int(self.headers["Packs"]) + 1) for face in [*suits, "JR"]]
        cards = shuffled(shoe, self.headers["Deal"], self.seed, self.clients)
        self.hands: dict[int, list[str]] = {seat: [] for seat in self.order}
        for _ in range(13):
            for seat in self.order:
                self.hands[seat].append(cards.pop(0))
        self.open = [] if self.is_blind else [cards.pop(0)]
        assert cards.pop(0) == self.headers["Cut"]
        self.closed, self.reshuffles = cards, 0

    def play(self) -> Iterator[str]:
        """Move the cards line by line; yield each kind of line."""
        for seat, *words in self.moves:
            words = [word for word in words if not word.startswith("@")]
            words = words[1:] if words[0] == "auto" else words
            self._move(int(seat), *words)
            yield words[0]

    def _move(self, seat: int, action: str, *what: str) -> None:
        hand = self.hands[seat]
        if action == "draw" and what[0] == "closed":
            if not self.closed:
                self._reshuffle()
            hand.append(self.closed.pop(0))
        elif action == "draw":
            assert self.open.pop() == what[1]
            hand.append(what[1])
        elif action == "discard" or (action == "finish" and what):
            hand.remove(what[0])
            if action == "discard":
                self.open.append(what[0])
            self.finished = what[0]
        elif action == "show":
            cards = [word for word in what if word not in ("|", ";", "loose")]
            assert sorted(cards) == sorted(hand)

    def _reshuffle(self) -> None:
        self.reshuffles += 1
        top = [] if self.is_blind else [self.open.pop()]
        label = f"{self.headers['Deal']}/reshuffle-{self.reshuffles}"
        self.closed, self.open = shuffled(self.open, label, self.seed, self.clients), top
