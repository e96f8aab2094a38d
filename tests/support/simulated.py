"""Deals of computer players, for tests of code that reads finished deals: the same seed gives the same deals."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, count, islice
from random import Random
from typing import Any

from rules.books import BOOKS, RuleBook
from rules.fairness import shown_of_shoe
from rules.game import TableState, Transition, events, views_for
from tables.simulation.players import Crowd, Mood
from tables.simulation.run import SimulatedTable, SimulationReport, terms_of

_ENDS = (events.DealEnded, events.DealVoided)


@dataclass
class PlayedDeal:
    """A finished deal: its events, and the table after each of its transitions."""

    book: RuleBook
    prepared: events.DealPrepared
    happened: list[events.Event] = field(default_factory=list)
    states: list[TableState] = field(default_factory=list)

    @property
    def ended(self) -> TableState:
        """Return the table at the moment it showed the result."""
        own = self.prepared.deal_id
        return next(state for state in self.states if state.result is not None and state.result.deal_id == own)

    def proof(self) -> dict[str, Any]:
        """Return the proof of the deal as the platform gives it out."""
        dealt = next(event for event in self.happened if isinstance(event, events.CardsDealt))
        return {
            "deal": dealt.deal_id,
            "book": self.book.key,
            "book_version": self.book.version,
            "status": "over",
            "commitment": self.prepared.commitment,
            "seed": self.prepared.seed,
            "client_seeds": list(dealt.clients),
            "order": list(dealt.order),
            **shown_of_shoe(self.book, self.happened),
        }


class _EvenCrowd(Crowd):
    """A crowd that plays three deals in four soundly, so that many end with a show."""

    _deals = 0

    def deal_begins(self) -> None:
        self._deals += 1
        self._mood = Mood.HASTY if self._deals % 4 == 0 else Mood.SOUND


class _Recorder(SimulatedTable):
    """A simulated table that records each of its transitions."""

    def __init__(self, book: RuleBook, players: int, seed: int, *, rough: bool = False) -> None:
        self.taken: list[Transition] = []
        report = SimulationReport(book=book.key, players=players, seed=seed)
        super().__init__(terms_of(book, players), Random(seed), report, hashlib.sha256(), vandal=rough)
        self._crowd = Crowd(self._rng) if rough else _EvenCrowd(self._rng)

    def _take(self, transition: Transition) -> None:
        """Record the transition without checking it: the simulation's own tests do that."""
        self.taken.append(transition)
        self._see(transition.after, views_for(transition.after, self._eyes.viewers, self.now))
        for event in transition.events:
            if isinstance(event, events.CardsDealt):
                self._crowd.deal_begins()
            elif isinstance(event, events.DealSettled | events.MatchEnded):
                self._report.matches += 1


def played_deals(key: str, *, players: int, deals: int, seed: int) -> Iterator[PlayedDeal]:
    """Yield `deals` scored deals, from one table after the other."""
    return islice(chain.from_iterable(_at_a_table(BOOKS[key], players, seed + table) for table in count()), deals)


def rough_deals(key: str, *, players: int, matches: int, seed: int) -> Iterator[PlayedDeal]:
    """Yield every deal of so many matches that was dealt, void ones too, of a crowd of all moods with a vandal."""
    table = _Recorder(BOOKS[key], players, seed, rough=True)
    table.play(matches)
    yield from (deal for deal in _deals_of(table) if any(isinstance(each, _ENDS) for each in deal.happened))


def _at_a_table(book: RuleBook, players: int, seed: int) -> Iterator[PlayedDeal]:
    table = _Recorder(book, players, seed)
    table.play(3)
    deals = _deals_of(table)
    yield from (deal for deal in deals if any(isinstance(event, events.DealEnded) for event in deal.happened))


def _deals_of(table: _Recorder) -> list[PlayedDeal]:
    """Return the deals at the table, also those that have not ended."""
    deals: list[PlayedDeal] = []
    for transition in table.taken:
        for event in transition.events:
            if isinstance(event, events.DealPrepared):
                deals.append(PlayedDeal(transition.after.book, event))
            elif deals:
                deals[-1].happened.append(event)
        if deals:
            deals[-1].states.append(transition.after)
    return deals
