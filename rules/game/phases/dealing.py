"""From the prepared deal to the first turn: toss, hands, upcard, cut joker."""

from __future__ import annotations

from rules import shuffling
from rules.books import Toss
from rules.cards import ACE, HAND_SIZE, RANKS, Face, rank, suit, wild_rank
from rules.game import events as e
from rules.game.lookups import able, is_last_deal
from rules.game.moves import ClientSeed, PrepareDeal
from rules.game.phases.turns import begin_turn
from rules.game.state import Phase, Prepared, TableState
from rules.game.transitions import Progress
from rules.messages import refuse

_TIES = "SHDC"
_SEED_BYTES, _CLIENT_BYTES = 64, 16


def wants_deal(state: TableState) -> bool:
    """Return whether a deal may follow and none is prepared; then the platform prepares one at once."""
    between = state.phase in (Phase.STARTING, Phase.RESULT, Phase.REJOIN, Phase.SPLIT)
    return between and state.prepared is None and not is_last_deal(state)


def prepare_deal(p: Progress, move: PrepareDeal) -> None:
    """Fix the next deal's seed and publish its commitment. Raises Refused."""
    if not wants_deal(p.state):
        refuse("already_prepared" if p.state.prepared is not None else "wrong_phase")
    if not is_hex(move.seed, _SEED_BYTES):
        refuse("bad_seed")
    commitment = shuffling.commitment(shuffling.label_of(move.deal_id), bytes.fromhex(move.seed))
    p.emit(e.DealPrepared(deal_id=move.deal_id, seed=move.seed, commitment=commitment))


def client_seed(p: Progress, move: ClientSeed) -> None:
    """Take the player's bytes into the next shuffle. Raises Refused: bad_seed."""
    if not is_hex(move.seed, _CLIENT_BYTES):
        refuse("bad_seed")
    p.emit(e.ClientSeedAdded(seat=move.seat, seed=move.seed))


def is_hex(text: str, size: int) -> bool:
    """Return whether `text` is the lower-case hex form of `size` bytes."""
    return len(text) == 2 * size and all(letter in "0123456789abcdef" for letter in text)


def begin_deal(p: Progress) -> None:
    """Deal to the able seats and begin the first turn. Raises Refused: no_deal_prepared."""
    prepared = p.state.prepared
    if prepared is None:
        refuse("no_deal_prepared")
    seats = able(p.state)
    if p.book.per_point or p.state.match is None:
        entry = 0 if p.book.per_point else p.state.terms.entry
        p.emit(e.MatchStarted(seats=seats, entry=entry, pot=entry * len(seats)))
    clients = tuple(seed for seat, seed in prepared.seeds if seat in seats)
    order = _order(p, prepared, seats, clients)
    _deal_cards(p, prepared, order, clients)
    begin_turn(p, order[0])


def _order(p: Progress, prepared: Prepared, seats: tuple[int, ...], clients: tuple[str, ...]) -> tuple[int, ...]:
    """Return the order of turns, by a toss; in books that toss once a match, later first turns move one seat on."""
    match = p.state.match
    assert match is not None
    if match.first is None or p.book.toss_each_deal:
        _toss(p, prepared, seats, clients)
        return p.state.match.order if p.state.match is not None else ()
    place = match.order.index(match.first) + 1
    turned = match.order[place:] + match.order[:place]
    return tuple(seat for seat in turned if seat in seats)


def _toss(p: Progress, prepared: Prepared, seats: tuple[int, ...], clients: tuple[str, ...]) -> None:
    label, seed = shuffling.label_of(prepared.deal_id), bytes.fromhex(prepared.seed)
    pack = shuffling.toss(label, seed, [bytes.fromhex(client) for client in clients])
    cards = dict(zip(seats, pack, strict=False))
    ranked = tuple(sorted(seats, key=lambda seat: _height(cards[seat]), reverse=True))
    place = seats.index(ranked[0])
    order = ranked if p.book.toss is Toss.BY_RANK else seats[place:] + seats[:place]
    p.emit(e.TossMade(cards=tuple(cards.items()), order=order))


def _height(face: Face) -> tuple[int, int]:
    """Return a card's order in the toss: ace high; between equal ranks spades, hearts, diamonds, clubs."""
    value = rank(face)
    return (len(RANKS) + 1 if value == ACE else value, -_TIES.index(suit(face)))


def _deal_cards(p: Progress, prepared: Prepared, order: tuple[int, ...], clients: tuple[str, ...]) -> None:
    """Deal one card at a time from the first player on; then upcard and cut joker (RULES.md, The books)."""
    packs = p.book.packs_for(len(order))
    seeds = [bytes.fromhex(seed) for seed in clients]
    shoe = shuffling.shoe(shuffling.label_of(prepared.deal_id), bytes.fromhex(prepared.seed), seeds, packs)
    dealt = len(order) * HAND_SIZE
    p.emit(
        e.CardsDealt(
            deal_id=prepared.deal_id,
            number=p.state.deals + 1,
            order=order,
            packs=packs,
            clients=clients,
            hands=tuple(shoe[place : dealt : len(order)] for place in range(len(order))),
            closed=shoe[dealt:],
        )
    )
    if p.book.open_pile:
        p.emit(e.UpcardTurned(card=p.deal.closed[0]))
    cut = p.deal.closed[0]
    p.emit(e.CutJokerTurned(card=cut, wild_rank=wild_rank(cut)))
