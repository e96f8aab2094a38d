"""Rare cases of the rules that no single event shows; a run counts them as it counts events."""

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from rules.books import OpenShow
from rules.cards import HAND_SIZE, face, is_joker
from rules.game import DealState, Phase, Standing, TableState, Transition, events as e
from rules.game.moves import Pile

Corner = Callable[[Transition], bool]
Kind = TypeVar("Kind", bound=e.Event)


def corners(transition: Transition) -> Iterator[str]:
    """Return the names of the rare cases in this transition."""
    kinds = {type(event) for event in transition.events}
    return (name for kind in kinds & _BY_EVENT.keys() for name, is_reached in _BY_EVENT[kind] if is_reached(transition))


def _deal(transition: Transition) -> DealState | None:
    """Return the deal of this transition: the one after it, or the one that it ended."""
    return transition.after.deal or transition.before.deal


def _of(transition: Transition, kind: type[Kind]) -> list[Kind]:
    return [event for event in transition.events if isinstance(event, kind)]


def _had_no_turn(transition: Transition) -> bool:
    deal = _deal(transition)
    return deal is not None and any(deal.hand(event.seat).draws == 0 for event in _of(transition, e.HandSubmitted))


def _drop_show(transition: Transition) -> bool:
    deal = _deal(transition)
    if deal is None or deal.winner is None or transition.after.book.open_show is not OpenShow.DROP_SHOW:
        return False
    return bool(_of(transition, e.HandSubmitted)) and deal.hand(deal.winner).draws <= 1


def _tunnela(transition: Transition) -> bool:
    groups = [group for show in _of(transition, e.ShowAccepted) for group in show.groups]
    return any(len(group) == 3 and len(set(map(face, group))) == 1 for group in groups)


def _jokers_apart(transition: Transition) -> bool:
    """Return whether a valid show had loose jokers."""
    return any(sum(map(len, show.groups)) < HAND_SIZE for show in _of(transition, e.ShowAccepted))


def _third_reshuffle(transition: Transition) -> bool:
    return any(event.number >= 3 for event in _of(transition, e.ClosedDeckReshuffled))


def _missed_out(transition: Transition) -> bool:
    return _dropped_after(transition, lambda event, state: event.misses == state.book.misses_allowed)


def _auto_played_out(transition: Transition) -> bool:
    return _dropped_after(transition, lambda event, state: event.auto == state.book.auto_plays_allowed)


def _dropped_after(transition: Transition, last: Callable[[e.TurnAutoPlayed, TableState], bool]) -> bool:
    dropped = {event.seat for event in _of(transition, e.PlayerDropped)}
    auto_plays = _of(transition, e.TurnAutoPlayed)
    return any(event.seat in dropped and last(event, transition.after) for event in auto_plays)


def _auto_dropped(transition: Transition) -> bool:
    began = {event.seat for event in _of(transition, e.TurnBegan)}
    return any(event.seat in began for event in _of(transition, e.PlayerDropped))


def _joker_taken(transition: Transition) -> bool:
    """Return whether a joker was taken from the open pile: only the first upcard may be, on the first turn."""
    deal = _deal(transition)
    drawn = [event.card for event in _of(transition, e.CardDrawn) if event.pile is Pile.OPEN]
    return deal is not None and any(is_joker(card, deal.wild) for card in drawn)


def _split_ended(transition: Transition, *, agreed: bool) -> bool:
    return any(event.agreed is agreed for event in _of(transition, e.SplitEnded))


def _auto_split(transition: Transition) -> bool:
    shared = any(len(event.shares) > 1 for event in _of(transition, e.PrizeAwarded))
    return shared and not _of(transition, e.SplitEnded)


def _counted_deals(transition: Transition) -> int:
    match = transition.after.match
    ended = transition.after.book.deals is not None and bool(_of(transition, e.DealEnded))
    return match.deals if match is not None and ended else 0


def _tie(transition: Transition) -> bool:
    """Return whether the last deal has been played and a tie requires another."""
    deals = transition.after.book.deals
    return deals is not None and _counted_deals(transition) >= deals and transition.after.phase is Phase.RESULT


def _early_win(transition: Transition) -> bool:
    """Return whether a large enough lead ended the match one deal early."""
    deals = transition.after.book.deals
    return deals is not None and _counted_deals(transition) == deals - 1 and bool(_of(transition, e.MatchEnded))


def _left_while_melding(transition: Transition) -> bool:
    return transition.before.phase is Phase.MELDING and bool(_of(transition, e.PlayerLeft))


def _left_after_dropping(transition: Transition) -> bool:
    deal = transition.before.deal
    seats = [event.seat for event in _of(transition, e.PlayerLeft) if event.points is not None]
    return deal is not None and any(deal.hand(seat).standing is Standing.DROPPED for seat in seats)


def _left_after_finishing(transition: Transition) -> bool:
    """Return whether the declarer left before they had submitted."""
    return transition.before.melding_by in {event.seat for event in _of(transition, e.PlayerLeft)}


def _won_without_show(transition: Transition) -> bool:
    deal = transition.after.deal
    return deal is not None and deal.finished is None and bool(_of(transition, e.DealEnded))


def _shown_undrawn(transition: Transition) -> bool:
    return any(event.card is None for event in _of(transition, e.FinishPlaced))


def _late_discard_dropped(transition: Transition) -> bool:
    """Return whether a player who drew and did not discard in time was dropped, as some books demand."""
    turn = transition.before.deal.turn if transition.before.deal is not None else None
    dropped = {event.seat for event in _of(transition, e.PlayerDropped)}
    return turn is not None and turn.drawn is not None and turn.seat in dropped


CORNERS: Final[dict[str, tuple[type[e.Event], Corner]]] = {
    "open show": (e.HandSubmitted, _had_no_turn),
    "drop show": (e.HandSubmitted, _drop_show),
    "tunnela shown": (e.ShowAccepted, _tunnela),
    "jokers left apart": (e.ShowAccepted, _jokers_apart),
    "third reshuffle": (e.ClosedDeckReshuffled, _third_reshuffle),
    "dropped for misses": (e.TurnAutoPlayed, _missed_out),
    "dropped for auto plays": (e.TurnAutoPlayed, _auto_played_out),
    "dropped by the switch": (e.PlayerDropped, _auto_dropped),
    "first upcard a joker, taken": (e.CardDrawn, _joker_taken),
    "split agreed": (e.SplitEnded, lambda transition: _split_ended(transition, agreed=True)),
    "split refused": (e.SplitEnded, lambda transition: _split_ended(transition, agreed=False)),
    "auto split": (e.PrizeAwarded, _auto_split),
    "eliminated together": (e.PlayerEliminated, lambda transition: len(_of(transition, e.PlayerEliminated)) > 1),
    "tie played on": (e.DealEnded, _tie),
    "won before the last deal": (e.MatchEnded, _early_win),
    "left while melding": (e.PlayerLeft, _left_while_melding),
    "left after dropping": (e.PlayerLeft, _left_after_dropping),
    "left after finishing": (e.PlayerLeft, _left_after_finishing),
    "shown without drawing": (e.FinishPlaced, _shown_undrawn),
    "dropped for a late discard": (e.PlayerDropped, _late_discard_dropped),
    "won without a show": (e.DealEnded, _won_without_show),
}
_BY_EVENT: Final = {
    kind: [(name, came) for name, (told_by, came) in CORNERS.items() if told_by is kind]
    for kind in {told_by for told_by, _ in CORNERS.values()}
}
