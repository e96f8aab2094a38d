"""The legal moves of a seat, defined once for the refusals of `apply` and for the moves that views list.

Each kind of move has its phases and a function for the rest: it returns the code of the first reason against, or None.
Reasons go from the general to the particular: not_seated, wrong_phase, not_your_turn, then those of this move alone.
The move's own values (which card, which pile) are checked where the move is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from rules import payouts
from rules.cards import Card, is_joker
from rules.game import moves as m
from rules.game.lookups import hand_of, in_match, is_last_deal, prize
from rules.game.state import IN_DEAL, Phase, Place, Standing, TableState
from rules.messages import refuse
from rules.shuffling import is_fixed


def is_seated(state: TableState, seat: int) -> bool:
    """Return whether a player holds `seat` and has not left."""
    if not 0 <= seat < len(state.seats):
        return False
    holder = state.seats[seat]
    return holder is not None and holder.place is not Place.GONE


class _Mover:
    """A player who may move, with what several of these functions ask about them; each is found once."""

    __slots__ = ("has_drawn", "not_on_turn", "plays", "seat", "state")

    def __init__(self, state: TableState, seat: int) -> None:
        hand, turn = hand_of(state, seat), state.deal.turn if state.deal is not None else None
        self.state, self.seat = state, seat
        #: Whether they are still in the deal, and why it is not their turn (None: it is).
        self.plays = hand is not None and hand.standing is Standing.IN
        self.not_on_turn = None if turn is not None and turn.seat == seat else "not_your_turn"
        if not self.plays:
            self.not_on_turn = "wrong_phase"
        self.has_drawn = turn is not None and turn.drawn is not None


ReasonAgainst = Callable[[_Mover], str | None]


def why_not(state: TableState, seat: int, name: str) -> str | None:
    """Return the code of the first reason against a move of type `name` by `seat`, None when it is legal."""
    if not is_seated(state, seat):
        return "not_seated"
    phases, reason_against = _MOVES[name]
    return reason_against(_Mover(state, seat)) if state.phase in phases else "wrong_phase"


def legal_moves(state: TableState, seat: int) -> tuple[str, ...]:
    """Return the types of the moves that `seat` may make now, as in the frames of the table socket."""
    if not is_seated(state, seat):
        return ()
    mover = _Mover(state, seat)
    return tuple([name for name, reason_against in _MOVES_IN[state.phase] if reason_against(mover) is None])


def why_not_pick(state: TableState, seat: int) -> str | None:
    """Return the reason why `seat` may not draw from the open pile, None when it may.

    Jokers stay there, except the very first upcard for the player of the first turn (RULES.md, The books).
    """
    if code := why_not(state, seat, "draw"):
        return code
    deal = state.current
    top = deal.open_top if state.book.open_pile else None
    if top is None:
        return "pile_empty"
    first_upcard = top.seat is None and deal.turns == 1
    return "joker_not_allowed" if is_joker(top.card, deal.wild) and not first_upcard else None


def possible_split(state: TableState) -> payouts.Split | None:
    """Compute how the survivors could split the prize at the current scores; None in books without a pool."""
    limit, drop = state.book.pool_limit, state.book.first_drop
    if limit is None or drop is None or state.match is None:
        return None
    return payouts.split(
        limit=limit,
        drop=drop,
        entry=state.terms.entry,
        prize=prize(state),
        started=len(state.match.players),
        scores=[state.seat(seat).total for seat in in_match(state)],
    )


def rejoin_right(state: TableState, seat: int) -> payouts.RejoinRight | None:
    """Decide whether the player in `seat`, just eliminated, may rejoin at the current scores; None without a pool.

    A player who was eliminated in the same deal and has rejoined counts as still in, but their score does not count.
    Source: RULES.md, Rejoin.
    """
    limit, drop, match, result = state.book.pool_limit, state.book.first_drop, state.match, state.result
    if limit is None or drop is None or match is None or result is None:
        return None
    survived = {row.seat for row in result.rows if row.total is not None and row.total < limit}
    still_in = [other for other in in_match(state) if other != seat]
    highest = max((state.seat(other).total for other in survived.intersection(still_in) or still_in), default=0)
    scores = [min(state.seat(other).total, highest) for other in still_in]
    own = state.seat(seat).total
    return payouts.rejoin(limit=limit, drop=drop, started=len(match.players), scores=[*scores, own], player=len(scores))


def resolve(cards: tuple[Card, ...], text: str) -> Card:
    """Return the card of `cards` that `text` names: a physical card, or a face (the first of two alike).

    Raises Refused: not_your_card.
    """
    named = cards if text in cards else [card[:-1] for card in cards]
    if text not in named:
        refuse("not_your_card")
    return cards[named.index(text)]


def _before_draw(mover: _Mover) -> str | None:
    return mover.not_on_turn or ("already_drawn" if mover.has_drawn else None)


def _after_draw(mover: _Mover) -> str | None:
    return mover.not_on_turn or (None if mover.has_drawn else "must_draw")


def _finish(mover: _Mover) -> str | None:
    """Allow a finish after the draw; in some books also before it, on the player's first turn (RULES.md, The books)."""
    code, state = _after_draw(mover), mover.state
    undrawn = state.book.show_before_draw and code == "must_draw" and state.current.hand(mover.seat).draws == 0
    return None if undrawn else code


def _drop(mover: _Mover) -> str | None:
    return mover.not_on_turn or _drops(mover) or _before_draw(mover)


def _drops(mover: _Mover) -> str | None:
    return "drops_not_allowed" if mover.state.book.first_drop is None else None


def _auto_drop(mover: _Mover) -> str | None:
    return _arrange(mover) or _drops(mover)


def _arrange(mover: _Mover) -> str | None:
    return None if mover.plays else "wrong_phase"


def _sort(mover: _Mover) -> str | None:
    return _arrange(mover) or ("sort_used" if mover.state.current.hand(mover.seat).sort_used else None)


def _submit(mover: _Mover) -> str | None:
    return _arrange(mover) or (None if mover.state.melding_by in (None, mover.seat) else "not_your_turn")


def _continue(mover: _Mover) -> str | None:
    state, seat = mover.state, mover.seat
    plays_on = hand_of(state, seat) is not None if state.book.per_point else seat in in_match(state)
    if not plays_on or is_last_deal(state):
        return "wrong_phase"
    return "already_continued" if state.seat(seat).ready else None


def _add_chips(mover: _Mover) -> str | None:
    state = mover.state
    if state.phase in IN_DEAL and hand_of(state, mover.seat) is not None:
        return "wrong_phase"
    if is_last_deal(state):
        return "wrong_phase"
    return None if state.book.per_point and not state.terms.tournament else "chips_not_allowed"


def _leave(mover: _Mover) -> str | None:
    """Refuse the winner while the others meld, since their win is not counted yet."""
    state = mover.state
    return "show_accepted" if state.phase is Phase.MELDING and state.current.winner == mover.seat else None


def _rejoin(mover: _Mover) -> str | None:
    offer = mover.state.rejoin
    return None if offer is not None and mover.seat in offer.seats else "wrong_phase"


def _offer_split(mover: _Mover) -> str | None:
    state = mover.state
    if mover.seat not in in_match(state):
        return "wrong_phase"
    split = possible_split(state)
    possible = split is not None and split.manual and state.match is not None and not state.match.split_offered
    return None if possible else "split_not_possible"


def _answer_split(mover: _Mover) -> str | None:
    offer = mover.state.split
    if offer is None or mover.seat not in in_match(mover.state):
        return "wrong_phase"
    return "already_answered" if mover.seat in offer.accepted else None


def _client_seed(mover: _Mover) -> str | None:
    """Allow a seed only once the server's own is committed (`rules.shuffling`), and to no fixed shoe."""
    state = mover.state
    prepared = state.prepared
    if prepared is None or is_fixed(prepared.deal_id) or state.seat(mover.seat).place is not Place.HERE:
        return "wrong_phase"
    return "seed_used" if mover.seat in dict(prepared.seeds) else None


_PLAYING: Final = (Phase.PLAYING,)
_UNTIL_OVER: Final = tuple(phase for phase in Phase if phase is not Phase.OVER)

_MOVES: Final[Mapping[str, tuple[tuple[Phase, ...], ReasonAgainst]]] = {
    m.Draw.name: (_PLAYING, _before_draw),
    m.Discard.name: (_PLAYING, _after_draw),
    m.Drop.name: (_PLAYING, _drop),
    m.AutoDrop.name: (_PLAYING, _auto_drop),
    m.Finish.name: (_PLAYING, _finish),
    m.Arrange.name: (IN_DEAL, _arrange),
    m.Sort.name: (IN_DEAL, _sort),
    m.Submit.name: ((Phase.MELDING,), _submit),
    m.Continue.name: ((Phase.RESULT,), _continue),
    m.AddChips.name: (_UNTIL_OVER, _add_chips),
    m.Leave.name: (_UNTIL_OVER, _leave),
    m.Rejoin.name: ((Phase.REJOIN,), _rejoin),
    m.OfferSplit.name: ((Phase.RESULT,), _offer_split),
    m.AnswerSplit.name: ((Phase.SPLIT,), _answer_split),
    m.ClientSeed.name: (_UNTIL_OVER, _client_seed),
}
_MOVES_IN: Final = {
    phase: [(name, reason_against) for name, (phases, reason_against) in _MOVES.items() if phase in phases]
    for phase in Phase
}
