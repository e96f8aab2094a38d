"""The shape of a view, key by key: what goes out to clients, and nothing else.

The types are closed: what is not named here is in no frame, and a builder that leaves a key out does not pass the type
check. The protocol page and the browser's typedefs are made from this file. Money is in the currency's smallest unit,
time in milliseconds, seats are numbers from 0. Source: contracts.md, section 3.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict

from rules.books import Family
from rules.cards import Card, Face
from rules.game.results import Outcome
from rules.game.state import ClockKind, Phase
from rules.melds import Kind

DealId: TypeAlias = int | str
"""On the platform a number; elsewhere, as in a simulation, any text."""

SeatStatus: TypeAlias = Literal["empty", "waiting", "playing", "dropped", "wrong", "left", "out", "submitted"]


class CurrencyView(TypedDict):
    """How an amount is written: so many `digits` behind the point, `sign` before it, `noun` after it."""

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


class TableView(TypedDict):
    """What the table is. `minimum` is the least a seat must hold for a deal where points have a value, `deals` how
    many a match has where the book counts them, and `max_groups` how many groups a hand may be laid in."""

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
    max_groups: int
    clocks: ClocksView
    practice: bool
    stopped: bool


class DiscardView(TypedDict):
    """One discard, by `seat` (the upcard: null). In a blind deal nobody sees the card."""

    seat: int | None
    card: Card | None
    picked_by: int | None
    reshuffled: bool


class TossView(TypedDict):
    """The card that `seat` drew for the first turn."""

    seat: int
    card: Face


class DealView(TypedDict):
    """The deal on the table, and the toss if it began with one. The finish card lies face down until the result: only
    its owner sees it before."""

    id: DealId
    number: int
    commitment: str
    cut_joker: Card | None
    wild_rank: int | None
    closed_count: int
    open_top: Card | None
    discards: list[DiscardView]
    first_seat: int | None
    dealer_seat: int | None
    turn_seat: int | None
    turn_number: int
    finish_card: Card | None
    toss: list[TossView]


class NextDealView(TypedDict):
    """What is committed for the deal that comes next."""

    id: DealId
    commitment: str


class SeatView(TypedDict):
    """One seat and who holds it. `total` counts where a match has points, `drops_left` in pools; `cards` is how many
    they hold, `misses` how often their time ran out, `auto` how many turns in a row were played for them."""

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
    """One's own seat. `kinds` and `reasons` are verdicts on `groups`; `valid` and `points` say what the hand comes to
    as it lies; `fault` why it is no valid show, and `fault_without` the same by the card put in the finish slot.
    `hint` is for who plays for the first time."""

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
    points: int | None
    moves: list[str]
    pickable_open: bool
    sort_used: bool
    auto_drop: bool
    drop_points: int | None
    leave_points: int | None
    leave_costs: int
    private_code: str | None
    hint: str | None


class BareClockView(TypedDict):
    """Somebody must act before `deadline`; `seat` is null where more than one may."""

    kind: ClockKind
    seat: int | None
    deadline: int
    length_ms: int


class ClockView(BareClockView):
    """The running clock, and how long it still runs."""

    remaining_ms: int


class RejoinPrompt(TypedDict):
    """Those in `seats` may come back for `price`, with `score` points."""

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
    """The same with its part in money: what the drops beyond the fewest are worth. `why` says how the share is made."""

    excess_amount: int
    why: str


class SplitPrompt(TypedDict):
    """The player in seat `by` offers to split the prize; `answers` are those given so far, by seat."""

    kind: Literal["split"]
    by: int
    lines: list[SplitLineView]
    answers: dict[str, bool]


class ShownHandView(TypedDict):
    """A line of the result, where all hands are open. `amount` is what was won or lost in money."""

    seat: int
    outcome: Outcome
    groups: list[list[Card]]
    kinds: list[str]
    loose: list[Card]
    points: int
    amount: int
    total: int | None


class ResultRowView(ShownHandView):
    """The same with the name of who played: somebody else may sit there by now. `why` says in sentences how the points
    came about, `counted` what each card that counted has counted."""

    name: str | None
    why: str
    counted: dict[Card, int]


class DealResultView(TypedDict):
    """How the last deal ended; the next one comes in `next_in`, null where it waits for the players."""

    deal: DealId
    winner: int
    rows: list[ResultRowView]
    next_in: int | None


class AccountView(TypedDict):
    """What a player of the match paid into its pot, and the `amount` that they got out of it; `why` they got it, where
    the prize is shared."""

    seat: int
    paid: int
    amount: int
    why: str | None


class PublicView(TypedDict):
    """What everybody may see of a table, whole every time."""

    table: TableView
    phase: Phase
    melding_by: int | None
    deal: DealView | None
    seats: list[SeatView]
    clock: ClockView | None
    prompt: RejoinPrompt | SplitPrompt | None
    next_deal: NextDealView | None
    result: DealResultView | None
    accounts: list[AccountView] | None


class OwnView(TypedDict, total=False):
    """What a viewer sees besides, or in place of what everybody sees: their seat (null for one who watches), and the
    deal with their own finish card in it."""

    me: MeView | None
    deal: DealView | None


class View(PublicView):
    """The whole view of one viewer."""

    me: MeView | None
