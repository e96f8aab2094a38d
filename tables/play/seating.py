"""Seats: who holds which, who is connected, and how a seat is taken (who may, which one, for how much)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q

from rules.game import IN_DEAL, Phase, hand_of
from tables.errors import TableError
from tables.models import DealSeat, Entrant, Seating, Table
from tables.play.store import LockedTable, TableSnapshot, moment
from tables.private_bounds import lock_company, private_room
from wallet.language import ENGLISH, gettext as _
from wallet.ledger.selectors import spendable
from wallet.responsible_gaming import admission

#: A socket without a sign of life for this long, in ms, counts as dead.
OFFLINE_AFTER_MS = 35_000
#: The buy-in, in times the minimum, of a player who names no amount and has as much.
USUAL_BUY_IN = 10
#: As a wish: the table's minimum.
LEAST_BUY_IN = 0
#: A player may sit at this many tables at once, practice included.
MOST_TABLES = 3
#: What guests may bring to tables with others, of the chips that they were given, before so many deals among people:
#: enough for a table of friends, too little for making guests only to lose their chips to somebody.
GUEST_CHIPS, GUEST_DEALS = 400, 3
#: A player who has sat and left this often without a card must stay away this long, in ms: they keep others waiting.
MOST_IDLE_STAYS, REST_MS = 5, 300_000


class Occupant(Protocol):
    """The holder of a seat and the state of the socket that plays it: a Seating, or some columns of one."""

    pk: int
    seat: int
    connection: str
    seen_ms: int

    @property
    def is_computer(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Connect:
    """The arrival of `connection` at the table. It plays the user's seat at once where no live socket does.

    A live socket is replaced only once the new client has sent a frame: a process that was paused works off requests of
    clients that have long gone elsewhere. In a crowd many clients have sent one before they are let in: `has_spoken` is
    called as late as possible, from any thread, and no `Claim` is needed where it returns True.
    """

    user_id: int
    connection: str
    language: str = ENGLISH
    has_spoken: Callable[[], bool] = bool


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim of `connection`, the `number`th that came to the user's seat, whose client has now sent a frame."""

    user_id: int
    connection: str
    number: int


@dataclass(frozen=True, slots=True)
class Disconnect:
    """The end of `connection`: no socket plays its seat any more, unless another one already does."""

    user_id: int
    connection: str


SeatRequest = Connect | Claim | Disconnect


def is_connected(seating: Occupant, now: int) -> bool:
    """Return whether it is a computer player, or a player whose socket gave a sign of life in the last 35 s."""
    return (bool(seating.connection) and abs(now - seating.seen_ms) <= OFFLINE_AFTER_MS) or seating.is_computer


def connected_seats(seatings: Iterable[Occupant], now: int) -> frozenset[int]:
    """Return the seats whose players are connected."""
    return frozenset([seating.seat for seating in seatings if is_connected(seating, now)])


def offline_seats(seatings: Mapping[int, Seating], now: int) -> frozenset[int]:
    """Return the seats, of these by their number, whose players are not connected."""
    return frozenset(seatings) - connected_seats(seatings.values(), now)


def own_seatings(user_id: int) -> list[Seating]:
    """Return the seats that the user holds, one at each of their tables, the first taken first."""
    return list(Seating.objects.select_related("table").filter(user_id=user_id, left_at=None).order_by("pk"))


def unfreed_seatings(user_id: int) -> list[Seating]:
    """Return the user's seats, including those that they have left but that are not free yet.

    At a table that is closed nothing is played any more, though its last players are still shown there.
    """
    unfreed = Seating.objects.select_related("table").filter(user_id=user_id, freed_at=None)
    return list(unfreed.exclude(table__status=Table.Status.CLOSED).order_by("pk"))


def keeps_seat(table_id: int, user_id: int) -> bool:
    """Return whether the user has a seat at that table, or has left one that is not free yet."""
    return Seating.objects.filter(table_id=table_id, user_id=user_id, freed_at=None).exists()


def find_seating(table: TableSnapshot, user_id: int) -> Seating | None:
    """Return the user's seating at this table, if they have one."""
    return next(
        (seating for seating in table.seatings.values() if seating.user_id == user_id and seating.left_at is None), None
    )


def viewed_seat(table: TableSnapshot, user_id: int) -> int | None:
    """Return the seat whose view the user gets: theirs, or the one held until the match ended. None for a watcher."""
    seating = find_seating(table, user_id)
    if seating is None and table.state.phase is Phase.OVER:
        seating = next((held for held in table.seatings.values() if held.user_id == user_id), None)
    return seating.seat if seating else None


def seating_of(table: TableSnapshot, user_id: int) -> Seating:
    """Return the user's seating at this table; TableError `not_seated` without one, or for a locked account."""
    seating = find_seating(table, user_id)
    if not may_use(seating):
        raise not_seated()
    return seating


def may_use(seating: Seating | None) -> TypeGuard[Seating]:
    """Return whether there is such a seating, and its player's account is open."""
    return seating is not None and seating.user is not None and seating.user.is_active


def not_seated() -> TableError:
    """Return the refusal for a user without a seat."""
    return TableError("not_seated", _("You have no seat at this table."))


def check_admission(table: LockedTable, user: Any, *, once_a_stake: bool) -> None:
    """Raise TableError where the user may not sit down at this table now.

    Their other seats are counted under the player's lock, so no other window of theirs can sit down meanwhile.
    """
    if table.row.status != Table.Status.OPEN or table.state.phase is Phase.OVER or table.row.tournament_id is not None:
        raise TableError("table_closed", _("This table is closed."))
    if table.row.practice_for_id not in (None, user.pk):
        raise TableError("table_closed", _("This is somebody else's practice table."))
    lock_company(table.row, user.pk)
    admission.check_account_open(user)
    check_free_hand(user.pk, stake_id=table.row.stake_id if once_a_stake else None)
    if _idle_stays(table, user) >= MOST_IDLE_STAYS:
        raise TableError(
            "too_often", _("You have come and gone several times. Choose another table for now."), status=429
        )


def check_free_hand(user_id: int, *, stake_id: int | None = None) -> None:
    """Raise TableError where the user has too many seats, or one at that stake.

    That is `too_many_tables` with MOST_TABLES seats already, practice included, and `already_seated_elsewhere` with a
    seat at a public table of the stake.
    """
    seatings = own_seatings(user_id)
    if stake_id is not None and any(
        seating.table.stake_id == stake_id and not seating.table.private_code for seating in seatings
    ):
        raise TableError("already_seated_elsewhere", _("You already have a seat at a table of this stake."))
    if sum(seating.table.tournament_id is None for seating in seatings) + _reserved(user_id) >= MOST_TABLES:
        raise TableError(
            "too_many_tables",
            _("You sit at {most_tables} tables already. Leave one of them first.", most_tables=MOST_TABLES),
        )


def _reserved(user_id: int) -> int:
    """Count the seats that the user has, or will soon have, in tournaments: in those that run or begin when full."""
    soon = Q(tournament__status="running") | Q(tournament__status="open", tournament__starts_ms=None)
    return Entrant.objects.filter(soon, user_id=user_id, status=Entrant.Status.IN).count()


def _idle_stays(table: LockedTable, user: Any) -> int:
    """Count how often the user has recently sat here and left again without having been dealt a card."""
    stays = Seating.objects.filter(table=table.row, user=user, freed_at__isnull=False, deals=None)
    return stays.filter(seen_ms__gt=table.now - REST_MS).count()


def costs_nothing_to_leave(table: LockedTable, seat: int) -> bool:
    """Return whether the player in that seat has no part in a running deal, a match with a pot or a tournament."""
    state = table.state
    if table.row.tournament_id is not None:
        return False
    if not state.book.per_point:
        return state.match is None
    return state.phase not in IN_DEAL or hand_of(state, seat) is None


def take_seat(table: LockedTable, *, user: Any, name: str, seat: int | None) -> Seating:
    free = [number for number in range(table.row.seats) if number not in table.seatings]
    if not free:
        raise TableError("table_full", _("Every seat at this table is taken."))
    if seat is not None and seat not in free:
        exists = 0 <= seat < table.row.seats
        raise TableError(
            "seat_taken" if exists else "no_such_seat", _("That seat is not free."), status=409 if exists else 400
        )
    number = free[0] if seat is None else seat
    try:
        with transaction.atomic():
            seating = Seating.objects.create(
                table=table.row, seat=number, user=user, name=name, taken_at=moment(table.now), seen_ms=table.now
            )
    except IntegrityError as error:
        raise TableError("seat_taken", _("That seat is not free.")) from error
    table.seatings[number] = seating
    return seating


def buy_in(table: LockedTable, user: Any, wish: int | None) -> int:
    """Return the player's buy-in, in the smallest unit: the entry fee, or their wish within the table's limits.

    Without a wish it is the usual one, or less where that is all they have or may bring. TableError `below_minimum`,
    `above_maximum`; CareRefusal during a break from play, at practice tables.
    """
    terms = table.state.terms
    if table.row.for_practice_chips:
        # Practice costs no money, but a player who takes a break from play may not practise either.
        admission.check_play(user.pk)
        return terms.entry or wish or USUAL_BUY_IN * terms.minimum
    if terms.entry:
        return terms.entry
    free = spendable(user.pk, table.row.currency)
    if wish is None:
        bounds = (
            USUAL_BUY_IN * terms.minimum,
            free,
            terms.maximum,
            admission.remaining(user.pk, table.row.currency),
            most_to_bring(user),
            private_room(user.pk, table.row.currency) if table.row.private_code else None,
        )
        amount = max(terms.minimum, min(bound for bound in bounds if bound is not None))
    else:
        amount = wish or terms.minimum
    if amount < terms.minimum:
        raise TableError(
            "below_minimum",
            _("You need {minimum} at least to sit down at this table.", minimum=terms.minimum),
            status=400,
        )
    if terms.maximum is not None and amount > terms.maximum:
        raise TableError(
            "above_maximum",
            _("You can sit down at this table with {maximum} at most.", maximum=terms.maximum),
            status=400,
        )
    return amount


def most_to_bring(user: Any) -> int | None:
    """Return how many chips the user may bring to tables with others now; None for all that are theirs.

    A guest costs nothing to make. So until they have finished GUEST_DEALS deals among people, all but GUEST_CHIPS of
    the chips that they were given stay with them, whatever is played for.
    """
    if not user.is_guest:
        return None
    others = DealSeat.objects.filter(deal=OuterRef("deal"), user__isnull=False).exclude(user=user)
    finished = DealSeat.objects.filter(Exists(others), user=user).exclude(outcome="")
    if finished[:GUEST_DEALS].count() == GUEST_DEALS:
        return None
    return max(0, spendable(user.pk, "FUN") - max(0, settings.SIGN_UP_CHIPS - GUEST_CHIPS))


def check_brought(user: Any, amount: int) -> None:
    """Raise TableError `insufficient_balance` where a guest may not bring that many chips to a table with others.

    Call it inside a transaction: it locks the player's row until the end, so that no other table finds the same chips.
    """
    if not user.is_guest:
        return
    admission.lock_player_row(user.pk)
    most = most_to_bring(user)
    if most is not None and amount > most:
        text = _(
            "As a guest you can bring {chips} chips to other people’s tables until you have finished {deals} deals with"
            " them. Choose a smaller table, or sign up: all that you have stays yours.",
            chips=most,
            deals=GUEST_DEALS,
        )
        raise TableError("insufficient_balance", text)
