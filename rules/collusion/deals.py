"""The sums of one finished deal, from its events alone: all hands are open now.

A discard is held against what the hand offered instead. By points and links each card outside the melds has a chance
to be the one let go; the hand of the next player, now open, says which of them help. A player who does not know that
hand can let go helpful cards no more often than those chances say, however well or badly they play.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from typing import Final

from rules.books import RuleBook
from rules.cards import ACE, HAND_SIZE, Card, is_joker, ordered_shoe, points, rank, suit
from rules.collusion.sums import Sums, add_sums
from rules.game import DealState, Outcome, events as e
from rules.game.events import By, Event
from rules.game.moves import Pile
from rules.game.transitions import follow_deal
from rules.melds import ACE_HIGH, Kind, has_run, ranks_apart
from rules.solver.search import Best, best

#: How much likelier a card is let go for each point, and for each other of the hand that it may meld with: as
#: logarithms, somewhat less than simulated people of all strengths have, since real ones are more various.
_A_POINT: Final = 0.5
_A_LINK: Final = -1.2
#: From this own turn on a hand has taken shape.
_LATE: Final = 3
#: So many points more than need be break what was there; a dearer card kept for a meld costs eight at most.
_BROKEN: Final = 10
#: What two cards that may meld count beside a joker or a pure sequence.
_LINK: Final = 0.1


@dataclass(frozen=True, slots=True)
class CountedDeal:
    """The sums of each seat (toward None) and of each seat toward each other, and the seat that won."""

    sums: dict[tuple[int, int | None], Sums]
    winner: int


def sums_of_deal(book: RuleBook, happened: Iterable[Event]) -> CountedDeal | None:
    """Return the sums of a deal from its events; None where it was not scored. Takes some tens of milliseconds."""
    counting, before = _Counting(book), None
    for event, deal in follow_deal(book, happened):
        if before is not None and deal is not None:
            counting.count(event, before, deal)
        if isinstance(event, e.DealEnded):
            counting.result(event)
            return CountedDeal({key: dict(sums) for key, sums in counting.sums.items()}, event.winner)
        before = deal
    return None


@lru_cache(maxsize=4_096)
def arranged(book: RuleBook, wild: int, cards: tuple[Card, ...]) -> Best:
    """Return the best arrangement of these cards, which are in order: each hand is asked for many times."""
    return best(book, wild, cards)


class _Counting:
    """The sums of a deal so far."""

    def __init__(self, book: RuleBook) -> None:
        self._book = book
        self.sums: defaultdict[tuple[int, int | None], Sums] = defaultdict(Sums)
        self._undecided: dict[int, DealState] = {}

    def count(self, event: Event, before: DealState, deal: DealState) -> None:
        match event:
            case e.TurnBegan() if self._book.first_drop is not None and deal.hand(event.seat).draws == 0:
                self._undecided[event.seat] = deal
            case e.PlayerDropped():
                self._decided(event.seat, dropped=True)
            case e.CardDrawn():
                self._decided(event.seat, dropped=False)
                if event.by is By.PLAYER:
                    self._drawn(event, before)
            case e.CardDiscarded() if event.by is By.PLAYER:
                self._discarded(event, before, deal)

    def _add(self, seat: int, other: int | None, **more: float) -> None:
        add_sums(self.sums[seat, other], more)

    def _add_for(self, seat: int, others: Iterable[int], **more: float) -> None:
        """Count for the player, and toward each of these others."""
        for other in (None, *others):
            self._add(seat, other, **more)

    def _decided(self, seat: int, *, dropped: bool) -> None:
        """Count the first decision to play or to drop, beside the hand and the hidden hands of the others."""
        deal = self._undecided.pop(seat, None)
        if deal is None:
            return
        others = [other for other in deal.alive if other != seat]
        due = jokers_due(deal, seat)
        for other in others:
            held = promise(deal.wild, deal.hand(other).cards) - due
            self._add(seat, other, seen=1, promise=held, promise2=held * held)
            if dropped:
                self._add(seat, other, gave_up=1, gave_up_promise=held)

    def _drawn(self, event: e.CardDrawn, before: DealState) -> None:
        """Count whether the open card, which another has discarded, was taken."""
        top = before.open_top if self._book.open_pile else None
        if top is None or top.seat is None or top.seat == event.seat or is_joker(top.card, before.wild):
            return
        name = "needed" if self._helps(before, event.seat, top.card) else "useless"
        self._add_for(event.seat, (top.seat,), **{name: 1, f"took_{name}": event.pile is Pile.OPEN})

    def _discarded(self, event: e.CardDiscarded, before: DealState, deal: DealState) -> None:
        seat, cards = event.seat, before.hand(event.seat).cards
        laid = self._arranged(before.wild, cards)
        if deal.hand(seat).draws >= _LATE:
            left = self._arranged(before.wild, deal.hand(seat).cards)
            broken = left.points - laid.points >= _BROKEN
            self._add_for(seat, (other for other in deal.alive if other != seat), late=1, broken=broken)
        if self._book.open_pile and not is_joker(event.card, before.wild):
            self._fed(seat, event.card, laid, deal)

    def _fed(self, seat: int, card: Card, laid: Best, deal: DealState) -> None:
        """Count whether the discard helps the next player, beside the chance of that, if some do and others do not."""
        following, choice = _next(deal, seat), chances_to_go(card, laid, deal.wild)
        if following is None:
            return
        helpful = [each for each in choice if self._helps(deal, following, each)]
        if not 0 < len(helpful) < len(choice):
            return
        due, helped = sum(choice[each] for each in helpful), card in helpful
        more = helped - due
        sums = {"choices": 1, "helped": helped, "leeway": due * (1 - due), "beyond": more, "beyond2": more * more}
        self._add_for(seat, (following,), **sums)

    def _helps(self, deal: DealState, seat: int, card: Card) -> bool:
        """Return whether the card would make the best arrangement of the hand better.

        As long as it has no pure sequence, every card counts, and a meld with two others is what makes it better.
        """
        cards = deal.hand(seat).cards
        if not is_linked(card, cards, deal.wild):
            return False
        laid, makes = self._arranged(deal.wild, cards), completes(card, cards)
        if Kind.PURE not in laid.kinds or not (makes or any(is_joker(each, deal.wild) for each in cards)):
            return makes
        after = self._arranged(deal.wild, (*cards, card))
        used = any(card in group for group in after.groups)
        return used and (after.valid or after.points < laid.points)

    def _arranged(self, wild: int, cards: Sequence[Card]) -> Best:
        return arranged(self._book, wild, tuple(sorted(cards)))

    def result(self, ended: e.DealEnded) -> None:
        """Count who won, and what the others lost."""
        seats = [row.seat for row in ended.rows]
        caught = [row for row in ended.rows if row.outcome in (Outcome.LOST, Outcome.WRONG, Outcome.LEFT)]
        for row in ended.rows:
            others = [seat for seat in seats if seat != row.seat]
            fault = row.outcome in (Outcome.WRONG, Outcome.LEFT)
            self._add_for(row.seat, others, deals=1, wins=row.seat == ended.winner, fair=1 / len(seats), faults=fault)
            for other in others:
                due = {"faults_due": 1 / len(others), "faults_won": fault and other == ended.winner}
                self._add(row.seat, other, **due)
            beside = [each.points for each in caught if each is not row]
            if row in caught and beside:
                gap = row.points - sum(beside) / len(beside)
                self._add_for(row.seat, (ended.winner,), caught=1, gap=gap, gap2=gap * gap)


def jokers_due(deal: DealState, seat: int) -> float:
    """Return the jokers that another hand has on average, beside this one: who has none knows that others have more."""
    seen = [*deal.hand(seat).cards, *(entry.card for entry in deal.discards), *([deal.cut] if deal.cut else [])]
    shoe = ordered_shoe(deal.packs)
    jokers = sum(is_joker(card, deal.wild) for card in shoe) - sum(is_joker(card, deal.wild) for card in seen)
    return HAND_SIZE * jokers / (len(shoe) - len(seen))


def promise(wild: int, cards: Sequence[Card]) -> float:
    """Return how much a hand promises: its jokers, a pure sequence, and pairs of cards that may meld."""
    jokers = sum(is_joker(card, wild) for card in cards)
    plain = sorted({card[:-1] for card in cards if not is_joker(card, wild)})
    links = sum(_link(one, other) for place, one in enumerate(plain) for other in plain[place + 1 :])
    return jokers + has_run(cards) + _LINK * links


def completes(card: Card, cards: Iterable[Card]) -> bool:
    """Return whether the card makes a run or a set with two of these, none standing as a joker."""
    letter, value = suit(card), rank(card)
    row = {rank(each) for each in cards if suit(each) == letter and rank(each)}
    row |= {ACE_HIGH} if ACE in row else set()
    places = (value, ACE_HIGH) if value == ACE else (value,)
    if any({place + one, place + two} <= row for place in places for one, two in ((-2, -1), (-1, 1), (1, 2))):
        return True
    return len({suit(each) for each in cards if rank(each) == value} - {letter}) > 1


def is_linked(card: Card, cards: Iterable[Card], wild: int) -> bool:
    """Return whether the card may lie in one meld with one of these that is no joker."""
    return any(not is_joker(each, wild) and _link(card, each) for each in cards)


def _link(one: Card, other: Card) -> bool:
    """Return whether two cards may lie in one meld."""
    if rank(one) == rank(other):
        return suit(one) != suit(other)
    return suit(one) == suit(other) and ranks_apart(one, other) <= 2


def chances_to_go(card: Card, laid: Best, wild: int) -> dict[Card, float]:
    """Return the chance of each card outside the melds, and of the discarded one, to be let go: no face twice."""
    spare = [each for each in (*laid.loose, laid.discard, card) if each is not None and not is_joker(each, wild)]
    choice = {each[:-1]: each for each in spare}.values()
    held = {each[:-1]: each for group in (*laid.groups, spare) for each in group if not is_joker(each, wild)}.values()
    weights = [
        exp(_A_POINT * points(each, wild) + _A_LINK * sum(_link(each, other) for other in held)) for each in choice
    ]
    return {each: weight / sum(weights) for each, weight in zip(choice, weights, strict=True)}


def _next(deal: DealState, seat: int) -> int | None:
    """Return the next player still in the deal."""
    place = deal.order.index(seat) + 1
    following = deal.order[place:] + deal.order[:place]
    return next((other for other in following if other != seat and other in deal.alive), None)
