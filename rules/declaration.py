"""Judgement of a whole arrangement. RULES.md, Valid declaration and Score of a loser who stayed to the end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, permutations
from typing import Final, NamedTuple

from rules.books import RuleBook, WithoutLives
from rules.cards import HAND_SIZE, Card, Face, is_joker, total_points
from rules.melds import Kind, Verdict, judge_group
from rules.text import join, message

LONG_LIFE: Final = 4

#: What a group is, and of how many cards.
KindAndSize = tuple[Kind, int]


class Faults(NamedTuple):
    """The faults of a declaration, the gravest first; each is falsy where there is none."""

    #: The sentence about the missing life.
    life: str
    #: The most groups that the book allows, where there are more.
    max_groups: int
    #: The numbers of groups that are no melds, and of cards that should lie in a group.
    wrong: int
    apart: int
    miscounted: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judged arrangement; `points` is the price for a loser who stayed to the end, before any open show."""

    verdicts: tuple[Verdict, ...]
    faults: Faults
    points: int

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple(verdict.kind for verdict in self.verdicts)

    @property
    def valid(self) -> bool:
        return not any(self.faults)

    @property
    def fault(self) -> str | None:
        """The reasons why it is no valid declaration, as sentences; None if it is one."""
        return _in_words(self.faults)


def judge(
    book: RuleBook, wild: int, groups: Sequence[Sequence[Card | Face]], loose: Sequence[Card | Face]
) -> Judgement:
    """Judge every group and the declaration, and count a loser's points, when rank `wild` is wild.

    More than the book's groups, or other than 13 cards, are judged too, and are never valid.
    """
    verdicts = tuple(judge_group(book, wild, group) for group in groups)
    melds = [(verdict.kind, len(group)) for verdict, group in zip(verdicts, groups, strict=True)]
    faults = _faults(book, melds, *plain_and_jokers(loose, wild))
    kinds = [verdict.kind for verdict in verdicts]
    return Judgement(verdicts, faults, _points(book, wild, groups, kinds, loose, lives=not faults.life))


def points_as_lying(
    book: RuleBook,
    wild: int,
    groups: Sequence[Sequence[Card | Face]],
    kinds: Sequence[Kind],
    loose: Sequence[Card | Face],
) -> int:
    """Return `Judgement.points` of groups whose kinds are known."""
    melds = [(kind, len(group)) for kind, group in zip(kinds, groups, strict=True)]
    return _points(book, wild, groups, kinds, loose, lives=has_lives(book, melds))


def fault(book: RuleBook, melds: Sequence[KindAndSize], plain: int, jokers: int) -> str | None:
    """Return `Judgement.fault` of these groups; `plain` cards and `jokers` lie in none."""
    return _in_words(_faults(book, melds, plain, jokers))


def plain_and_jokers(cards: Sequence[Card | Face], wild: int) -> tuple[int, int]:
    """Return how many of the cards are no jokers, and how many are."""
    jokers = sum([is_joker(card, wild) for card in cards])
    return len(cards) - jokers, jokers


def _faults(book: RuleBook, melds: Sequence[KindAndSize], plain: int, jokers: int) -> Faults:
    """Return the faults of this declaration. RULES.md, Valid declaration."""
    return Faults(
        life="" if has_lives(book, melds) else missing_life([kind for kind, _ in melds]),
        max_groups=book.max_groups if len(melds) > book.max_groups else 0,
        wrong=sum([kind is Kind.INVALID for kind, _ in melds]),
        apart=plain if book.jokers_apart else plain + jokers,
        miscounted=plain + jokers + sum([size for _, size in melds]) != HAND_SIZE,
    )


# Cached: most hands lack the same.
@lru_cache(maxsize=1024)
def _in_words(faults: Faults) -> str | None:
    return join(_sentences(faults)) if any(faults) else None


def _sentences(faults: Faults) -> Iterator[str]:
    life, max_groups, wrong, apart, miscounted = faults
    if life:
        yield life
    if max_groups:
        yield message("There are more than {max_groups} groups.", max_groups=max_groups)
    if wrong:
        yield (
            message("One group is not a meld.") if wrong == 1 else message("{wrong} groups are not melds.", wrong=wrong)
        )
    if apart:
        yield (
            message("A card lies in no group.")
            if apart == 1
            else message("{apart} cards lie in no group.", apart=apart)
        )
    if miscounted:
        yield message("These are not {hand_size} cards.", hand_size=HAND_SIZE)


def missing_life(kinds: Sequence[Kind]) -> str:
    """Return a sentence about the life that groups of these kinds lack; call it only if one is missing."""
    if Kind.PURE not in kinds:
        return message("There is no pure sequence.")
    if sum(kind.is_sequence for kind in kinds) == 1:
        return message("There is no second sequence.")
    return message("Neither of the two sequences has {long_life} cards.", long_life=LONG_LIFE)


def has_lives(book: RuleBook, melds: Sequence[KindAndSize]) -> bool:
    """Return True if these groups hold the first and the second life."""
    sequences = [(kind, size) for kind, size in melds if kind.is_sequence]
    least = LONG_LIFE if book.four_card_life else 0
    return any(
        first is Kind.PURE and max(size, other_size) >= least
        for (first, size), (_, other_size) in permutations(sequences, 2)
    )


def _points(
    book: RuleBook,
    wild: int,
    groups: Sequence[Sequence[Card | Face]],
    kinds: Sequence[Kind],
    loose: Sequence[Card | Face],
    *,
    lives: bool,
) -> int:
    if not lives and book.without_lives is WithoutLives.FULL_COUNT:
        return book.full_count
    return limited(book, total_points(counted_cards(groups, kinds, loose, lives=lives), wild))


def counted_cards(
    groups: Sequence[Sequence[Card | Face]], kinds: Sequence[Kind], loose: Sequence[Card | Face], *, lives: bool
) -> Iterator[Card | Face]:
    """Yield the cards that a loser pays for, group by group, loose ones last: with both lives those in no meld, without
    them all but those of pure sequences. RULES.md, Score of a loser who stayed to the end."""
    free = set(Kind) - {Kind.INVALID} if lives else {Kind.PURE}
    counted = [group for group, kind in zip(groups, kinds, strict=True) if kind not in free]
    return chain(*counted, loose)


def limited(book: RuleBook, points: int) -> int:
    """Return the points as scored: at least the book's least, at most its full count."""
    return max(book.least_points, min(book.full_count, points))
