"""What a puzzle asks: the answers that may be given, and the judge's own answer where it is a show.

Pure. `asked` is the stored question, plain data: for a show `book version cut groups`, for the other kinds what the
player could see, as `positions` writes it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from rules.books import RuleBook, book
from rules.cards import Card, face, is_joker, rank, suit, wild_rank
from rules.declaration import Judgement, judge

#: Answers to *is this a show*: it is; a sequence that must be there is missing; else the number of the wrong group.
YES: Final = "yes"
LIVES: Final = "lives"
#: What to take, and whether to play.
OPEN, CLOSED = "open", "closed"
DROP, PLAY = "drop", "play"

Asked = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A puzzle before it is stored: a question, its solution, and what that rests on.

    `rating` is the one with which it begins.
    """

    kind: str
    book: str
    asked: Asked
    solution: str
    proof: Mapping[str, Any]
    rating: int

    @property
    def key(self) -> str:
        """The digest of the question: the same question is asked once."""
        text = json.dumps([self.kind, self.asked], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def rule_book(asked: Asked) -> RuleBook:
    """Return the book by which the deal was played."""
    return book(asked["book"], asked["version"])


def judgement_of(asked: Asked) -> Judgement:
    """Return the judgement of the groups of a question of the kind `show`."""
    return judge(rule_book(asked), wild_rank(asked["cut"]), asked["groups"], ())


def show_answer(asked: Asked) -> str | None:
    """Return the right answer to *is this a show*; None where more than one thing is wrong."""
    judgement = judgement_of(asked)
    if judgement.valid:
        return YES
    faults = judgement.faults
    if faults.max_groups or faults.apart or faults.miscounted:
        return None
    if faults.life and not faults.wrong:
        return LIVES
    if faults.wrong != 1 or faults.life:
        return None
    return str(next(n for n, verdict in enumerate(judgement.verdicts, start=1) if verdict.reason is not None))


def answers(kind: str, asked: Asked) -> tuple[str, ...]:
    """Return the answers that may be given, in an order that tells nothing."""
    if kind == "show":
        return (YES, *(str(number) for number, _ in enumerate(asked["groups"], start=1)), LIVES)
    if kind == "take":
        return OPEN, CLOSED
    if kind == "drop":
        return DROP, PLAY
    return tuple(dict.fromkeys(face(card) for card in in_plain_order(asked["hand"], wild_rank(asked["cut"]))))


def in_plain_order(cards: Iterable[Card], wild: int) -> list[Card]:
    """Return the cards by suit and rank, jokers last: an order that does not tell what they are together."""
    return sorted(cards, key=lambda card: (is_joker(card, wild), suit(card), rank(card), card))
