"""What each viewer may know at a given moment, derived from the event log alone."""

from collections.abc import Iterable

from rules.game import events as e
from rules.game.moves import Pile

#: A seat, or None for everybody who has none here: watchers, other players, staff, logs, queues and backups.
Viewer = int | None


class Knowledge:
    """The cards of the running deal that each viewer may know, and the seeds that are still secret."""

    def __init__(self, seats: int) -> None:
        self.viewers: tuple[Viewer, ...] = (*range(seats), None)
        self.secrets: dict[str, str] = {}
        self._now: dict[Viewer, set[str]] = {viewer: set() for viewer in self.viewers}
        self._opened: set[str] = set()

    def of(self, viewer: Viewer) -> set[str]:
        """Return the cards of the running deal that this viewer may know."""
        return self._now[viewer]

    def with_results(self, viewer: Viewer) -> set[str]:
        """Return the same with the open cards of earlier deals, whose results a page may still show."""
        return self._now[viewer] | self._opened

    def learn(self, event: e.Event) -> None:
        """Update the knowledge from the event."""
        match event:
            case e.DealPrepared(deal_id=deal, seed=seed):
                self.secrets[deal] = seed
            case e.CardsDealt():
                self._now = {viewer: set() for viewer in self.viewers}
                for seat, hand in zip(event.order, event.hands, strict=True):
                    self._now[seat].update(hand)
            case e.UpcardTurned(card=card) | e.CutJokerTurned(card=card):
                self._all([card])
            case e.CardDrawn(pile=pile, seat=seat, card=card):
                self._all([card]) if pile is Pile.OPEN else self._now[seat].add(card)
            case (
                e.CardDiscarded(face_down=False, card=str() as card)
                | e.ShowRefused(face_down=False, card=str() as card)
            ):
                self._all([card])
            case e.DealEnded():
                self._ended(event)
            case e.DealVoided(deal_id=deal):
                self.secrets.pop(deal, None)
            case e.MatchCancelled():
                self.secrets.clear()

    def _ended(self, event: e.DealEnded) -> None:
        """Make the hands and the seed public."""
        self.secrets.pop(event.deal_id, None)
        hands = [card for row in event.rows for group in (row.loose, *row.groups) for card in group]
        self._all(hands if event.finish_card is None else [*hands, event.finish_card])
        self._opened |= self._now[None]

    def _all(self, cards: Iterable[str]) -> None:
        public = set(cards)
        for cards_of_viewer in self._now.values():
            cards_of_viewer |= public
