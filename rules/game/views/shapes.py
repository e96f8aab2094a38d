"""The shapes of views, key by key: exactly the data that clients receive.

The types are closed: a key that is not named here is in no frame, and a builder that leaves one out fails the type
check. The protocol page and the browser's typedefs are made from this file. Money is in the currency's smallest unit,
time in milliseconds, seats are numbers from 0. Source: tables/PROTOCOL.md.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from rules.books import Family
from rules.cards import Card, Face
from rules.game.results import Outcome
from rules.game.state import ClockKind, Phase
from rules.melds import Kind

#: On the platform a number; elsewhere, as in a simulation, any text.
DealId: TypeAlias = int | str

SeatStatus: TypeAlias = Literal["empty", "waiting", "playing", "dropped", "wrong", "left", "out", "submitted"]


class CurrencyView(TypedDict):
    """How an amount is written: `digits` is the number of decimals, `sign` stands before it, `noun` after it."""

    digits: int
    sign: str
    noun: str


class ClocksView(TypedDict):
    """How long each clock of the table runs."""

    start_two: int
    start_more: int
    start_full: int
    turn: int
    extra: int
    meld: int
    result: int
    prompt: int


class TournamentView(TypedDict):
    """The tournament that the table is part of. Rounds and deals are counted from 1, those of an arena not at all; its
    end, `ends_at`, is ISO 8601 UTC. `place` is the viewer's own, as the last finished deal left it, among `places`;
    with `automatic` the viewer was away and is dropped at each deal until they come back. While it is `paused` the next
    deal here waits for staff, without a clock."""

    id: int
    title: str
    round: int | None
    rounds: int | None
    deal: int | None
    deals: int | None
    place: int | None
    places: int
    ends_at: str | None
    automatic: bool
    paused: bool


class TableView(TypedDict):
    """The table. `minimum` is the least stack for a deal where points have a value, `deals` the number of deals in a
    match if the book counts them, `chips_a_deal` the chips with which everybody begins for each of these, where totals
    are chips and not points, and `max_groups` the most groups of a hand."""

    id: int
    title: str
    book: str
    book_title: str
    family: Family
    currency: str
    money: CurrencyView
    seats: int
    point_value: int | None
    minimum: int | None
    entry: int | None
    prize: int | None
    fee_percent: int
    deals: int | None
    chips_a_deal: int | None
    max_groups: int
    clocks: ClocksView
    practice: bool
    stopped: bool
    tournament: TournamentView | None


class DiscardView(TypedDict):
    """One discard, by `seat` (the upcard: null), and who picked it up again, if anybody has. In a blind deal nobody
    sees the card."""

    seat: int | None
    card: Card | None
    picked_by: NotRequired[int]


class TossView(TypedDict):
    """The card that `seat` drew for the first turn."""

    seat: int
    card: Face


class DealView(TypedDict):
    """The deal on the table, and the toss if it began with one. Only its owner sees the finish card before the result.

    `number` counts the deals of the table, in points and blind over all its matches. Of the discards, the first
    `reshuffled_count` went back into the closed deck, or had been picked up before; the last two hundred of either
    kind are shown.
    """

    id: DealId
    number: int
    commitment: str
    cut_joker: Card | None
    wild_rank: int | None
    closed_count: int
    open_top: Card | None
    discards: list[DiscardView]
    reshuffled_count: int
    first_seat: int | None
    dealer_seat: int | None
    turn_seat: int | None
    turn_number: int
    finish_card: Card | None
    toss: list[TossView]


class NextDealView(TypedDict):
    """The commitment of the next deal."""

    id: DealId
    commitment: str


class SeatView(TypedDict):
    """One seat and its player. `total` is for matches with points, `drops_left` for pools; `cards` is the number of
    their cards, `misses` how often their time ran out, `auto` how many turns in a row were played for them."""

    seat: int
    name: str | None
    bot: bool
    connected: bool
    status: SeatStatus
    stack: int
    total: int | None
    drops_left: int | None
    rejoins: int
    ready: bool
    cards: int
    misses: int
    auto: int


class MeView(TypedDict):
    """The viewer's own seat. `kinds` and `reasons` are verdicts on `groups`; `valid` and `points` judge the hand as
    arranged now; `fault` says why it is no valid show, and `fault_without` the same by the card put in the finish slot.
    `points_to_save` says by how many points less a better arrangement could be submitted, null where none can be.
    Keys in `_costs` are money: 0 where points have no value. `drop_eliminates` says whether a drop would end the match
    for the player, `drop_spares` whether to drop and then to leave is cheaper than to leave. In a `guided` deal, the
    first of a player, `hint` is about the move that they may make, `hint_why` explains it, `hint_cards` are the cards
    that it speaks of, and `hint_groups` an arrangement to be laid."""

    seat: int
    hand: list[Card]
    drawn: Card | None
    groups: list[list[Card]]
    kinds: list[Kind]
    reasons: list[str | None]
    loose: list[Card]
    valid: bool
    fault: str | None
    fault_without: dict[Card, str | None] | None
    wrong_show_points: int | None
    wrong_show_costs: int
    points: int | None
    points_to_save: int | None
    moves: list[str]
    pickable_open: bool
    sort_used: bool
    auto_drop: bool
    drop_points: int | None
    drop_costs: int
    drop_eliminates: bool
    drop_spares: bool
    leave_points: int | None
    leave_costs: int
    private_code: str | None
    guided: bool
    hint: str | None
    hint_why: str | None
    hint_cards: list[Card]
    hint_groups: list[list[Card]]


class BareClockView(TypedDict):
    """Somebody must act before `deadline`; `seat` is null where more than one may."""

    kind: ClockKind
    seat: int | None
    deadline: int
    length_ms: int


class ClockView(BareClockView):
    """The running clock, and its remaining time."""

    remaining_ms: int


class RejoinPrompt(TypedDict):
    """The players in `seats` may rejoin for `price`, with `score` points."""

    kind: Literal["rejoin"]
    seats: list[int]
    price: int
    score: int


class ShareView(TypedDict):
    """One player's part of a split: `excess` are their drops beyond the fewest that anybody has."""

    seat: int
    drops: int
    excess: int
    share: int


class SplitLineView(ShareView):
    """The same with the value of the drops beyond the fewest in money. `why` explains the share."""

    excess_amount: int
    why: str


class SplitPrompt(TypedDict):
    """The player in seat `by` offers to split the prize; `answers` are those given so far, by seat."""

    kind: Literal["split"]
    by: int
    lines: list[SplitLineView]
    answers: dict[str, bool]


class ShownHandView(TypedDict):
    """A line of the result, where all hands are open. `amount` is the money won or lost."""

    seat: int
    outcome: Outcome
    groups: list[list[Card]]
    kinds: list[str]
    loose: list[Card]
    points: int
    amount: int
    total: int | None


class ResultRowView(ShownHandView):
    """The same with the player's name, as somebody else may sit there by now. `why` explains the points in sentences,
    `counted` has the points of each card that counted."""

    name: str | None
    why: str
    counted: dict[Card, int]


class DealResultView(TypedDict):
    """The result of the last deal; the next one begins in `next_in`, null if it waits for the players."""

    deal: DealId
    winner: int
    rows: list[ResultRowView]
    next_in: int | None


class AccountView(TypedDict):
    """A player's payments into the pot of the match, and the `amount` that they got out of it; `why` explains it if the
    prize is shared."""

    seat: int
    paid: int
    amount: int
    why: str | None


class PublicView(TypedDict):
    """The part of a view that everybody may see, always complete. `free_seats` are those that may be taken now."""

    table: TableView
    phase: Phase
    melding_by: int | None
    deal: DealView | None
    seats: list[SeatView]
    free_seats: list[int]
    clock: ClockView | None
    prompt: RejoinPrompt | SplitPrompt | None
    next_deal: NextDealView | None
    result: DealResultView | None
    accounts: list[AccountView] | None


class OwnView(TypedDict, total=False):
    """The parts that a viewer sees in addition to public ones or in place of them: their seat (null for an onlooker),
    the deal with their own finish card in it, and the table with their own place in a tournament."""

    me: MeView | None
    table: TableView
    deal: DealView | None


class View(PublicView):
    """The whole view of one viewer."""

    me: MeView | None
