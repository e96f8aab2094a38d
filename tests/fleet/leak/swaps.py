"""Non-interference (invariant H-3): what a viewer cannot know must not change any byte sent to them.

`swapped` makes a twin of a state, in which all cards unknown to the viewer have changed places among each other;
`Twins` plays simulated tables and makes the same public moves in a state and in its twin.
"""

import hashlib
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

from rules.books import book
from rules.cards import ordered_shoe
from rules.errors import Refused
from rules.game import Transition, apply, codec, moves as m, redact, view_for
from rules.game.events import Event
from rules.game.state import Phase, TableState
from tables.simulation.fleet import Task
from tables.simulation.run import SimulatedTable, SimulationReport, terms_of
from tests.fleet.leak.knowledge import Knowledge, Viewer

Exchange = dict[str, str]


def exchange(rng: Random, packs: int, knowledge: set[str]) -> Exchange:
    """Return a permutation of the cards of the shoe that are not known."""
    hidden = [card for card in ordered_shoe(packs) if card not in knowledge]
    return dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))


def swapped(state: TableState, cards: Exchange) -> TableState:
    """Return the state with these cards exchanged everywhere."""
    return codec.load_state(_exchanged(codec.dump_state(state), cards))


def swapped_event(event: Event, cards: Exchange) -> Event:
    return codec.load_event(_exchanged(codec.dump_event(event), cards))


def swapped_move(move: m.Move, cards: Exchange) -> m.Move:
    changes: dict[str, Any] = {}
    if isinstance(move, m.Discard | m.Finish):
        changes["card"] = cards.get(move.card, move.card)
    if isinstance(move, m.Arrange | m.Submit) and move.groups is not None:
        changes["groups"] = tuple(tuple(cards.get(card, card) for card in group) for group in move.groups)
    return replace(move, **changes)


def _exchanged(content: Any, cards: Exchange) -> Any:
    if isinstance(content, str):
        return cards.get(content, content)
    if isinstance(content, list):
        return [_exchanged(part, cards) for part in content]
    if isinstance(content, dict):
        return {name: _exchanged(part, cards) for name, part in content.items()}
    return content


class Twins(SimulatedTable):
    """A simulated table with a twin that repeats each change, compared as a randomly chosen viewer sees them."""

    def __init__(self, task: Task, chance: Random, counts: Counter[str], findings: list[str]) -> None:
        self._chance, self._counts, self._findings = chance, counts, findings
        self._knowledge = Knowledge(task.players)
        report = SimulationReport(book=task.book, players=task.players, seed=task.seed)
        rng = Random(task.seed)
        super().__init__(terms_of(book(task.book), task.players), rng, report, hashlib.sha256(), vandal=False)

    def _timed(self, move: m.Move) -> Transition:
        transition = super()._timed(move)
        for event in transition.events:
            self._knowledge.learn(event)
        if self.state.deal is not None and transition.events and not _deals(transition):
            viewer = self._chance.choice(self._knowledge.viewers)
            cards = exchange(self._chance, self.state.deal.packs, self._knowledge.of(viewer))
            self._compare(viewer, transition, swapped(self.state, cards), swapped_move(move, cards))
        return transition

    def _compare(self, viewer: Viewer, transition: Transition, twin: TableState, move: m.Move) -> None:
        try:
            after = apply(twin, move, self.now)
        except Refused as refusal:
            self._differs(transition, f"was refused: {refusal.code}")
            return
        self._counts["states"] += 1
        if self._visible(viewer, transition) == self._visible(viewer, after):
            return
        if _verdict(transition) != _verdict(after):
            # Whether a show is right is the one thing that the rules make public of hidden cards.
            self._counts["shows judged otherwise"] += 1
        else:
            self._differs(transition, f"shows {_name(viewer)} other bytes")

    def _visible(self, viewer: Viewer, transition: Transition) -> bytes:
        events = [redact(event, viewer) for event in transition.events]
        return codec.canonical([events, view_for(transition.after, viewer, self.now)])

    def _differs(self, transition: Transition, how: str) -> None:
        kinds = [event.name for event in transition.events]
        self._findings.append(f"{self._report.book}: {kinds} of a twin {how}")


def play(task: Task, states: int, counts: Counter[str], findings: list[str]) -> None:
    """Play the tables of the task until enough twins have been compared or the matches are over."""
    chance, over = Random(task.seed + 1), 0
    while over < task.matches and counts["states"] < states:
        table = Twins(task, chance, counts, findings)
        while table.state.phase is not Phase.OVER and counts["states"] < states and not table._report.matches:
            table.step()
        over += 1
        task = replace(task, seed=task.seed + 1)


def _deals(transition: Transition) -> bool:
    """Return whether a new deal begins, whose cards come from another seed."""
    return transition.after.deal is None or transition.after.deal.deal_id != transition.before.current.deal_id


def _verdict(transition: Transition) -> set[str]:
    return {event.name for event in transition.events} & {"show_accepted", "show_refused"}


def _name(viewer: Viewer) -> str:
    return "everybody" if viewer is None else f"seat {viewer}"
