"""The ways to a seat: at a table of a stake, of a family with one button, at a private table, at a practice table."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest

from lobby.accounts import guests, sign_in
from lobby.accounts.models import Player, SignIn
from lobby.stakes import open_tables
from lobby.stakes.models import Stake
from lobby.stakes.private_tables import NO_TABLE, check_welcome, count_private_table, host_table
from lobby.stakes.selectors import books_of, on_offer
from rules.books import BOOKS
from rules.bots import Strength
from rules.errors import RulesError
from rules.game import Clocks, Phase, Terms, codec
from tables.errors import TableError, no_such_table
from tables.language import FOR_FRIENDS
from tables.models import Seating, Table
from tables.play import broadcast, services as play
from tables.play.opening import open_table
from tables.play.practice import PATIENCE_MS
from tables.play.seating import check_free_hand, most_to_bring, own_seatings
from wallet.audit_log.services import client_address
from wallet.base.errors import Refusal
from wallet.base.rate_limits import RateLimit
from wallet.base.retry import retried
from wallet.language import gettext as _
from wallet.ledger.selectors import spendable
from wallet.responsible_gaming import admission

#: How many tables a quick seat tries when other players are faster.
ATTEMPTS = 12
#: Wrong codes of private tables: of one player, and from one address, which many may share and open old links from.
BY_PLAYER, FROM_ADDRESS = RateLimit("table-codes", 20, 300), RateLimit("table-codes-from", 60, 300)
#: Refusals by one table after which another table of the same stake may accept the player.
TRY_ANOTHER = {"too_often", "table_full", "seat_taken", "table_closed", "wrong_phase", "not_found"}
#: Point value and entry of practice tables, in fun chips.
PRACTICE_POINT_VALUE = 1
PRACTICE_ENTRY = 100
#: The game of a player's first deal: the simplest rules, and one opponent.
FIRST_BOOK, FIRST_PLAYERS = "standard-points", 2
#: Nobody else is waited for: the first deal starts after 5 s at most, every other when the player asks for it.
PRACTICE_CLOCKS = Clocks(start_two=5_000, start_more=5_000, start_full=5_000, result=PATIENCE_MS, prompt=PATIENCE_MS)
#: The same, and no turn ends automatically.
UNHURRIED_CLOCKS = replace(PRACTICE_CLOCKS, turn=PATIENCE_MS, extra=PATIENCE_MS, meld=PATIENCE_MS)
#: The buy-in of a player who leaves the choice of table to the platform is their chips divided by this.
MODEST_PART = 10


def quick_seat(*, stake_id: int, user: Player, amount: int | None = None, seat: int | None = None) -> Seating:
    """Seat the player at a table of the stake: at their own seat there, else at a free one, else at a new table.

    `amount` is the buy-in in smallest units, None for the default of `tables.play.services.sit`. TableError
    `not_found` for a stake that is not on offer, `table_full` after ATTEMPTS tables, and every refusal of `sit` that
    another table would not lift.
    """
    stake = offered_stake(stake_id)
    guests.ensure_wallet(user)
    refused: set[int] = set()
    for _attempt in range(ATTEMPTS):
        table_id = _own_table(user, stake) or _joinable_or_new(stake, seat, without=refused)
        try:
            seating = play.sit(table_id=table_id, user=user, amount=amount, seat=seat, once_a_stake=True)
            ensure_table(stake.pk)
            return seating
        except (Refusal, RulesError) as error:
            if error.code == "already_seated_elsewhere" and _own_table(user, stake):
                continue
            if error.code not in TRY_ANOTHER:
                raise
            refused.add(table_id)
    raise TableError("table_full", _("Others were faster at every free seat. Please try again."))


def sit_at(*, table_id: int, user: Player, amount: int | None = None, seat: int | None = None) -> Seating:
    """Seat the player at that public table. TableError `not_found` also for a private or practice table of others."""
    public = Table.objects.filter(pk=table_id, private_code="", practice_for=None)
    if not public.exists() and all(own.table_id != table_id for own in own_seatings(user.pk)):
        raise no_such_table()
    guests.ensure_wallet(user)
    seating = play.sit(table_id=table_id, user=user, amount=amount, seat=seat)
    if seating.table.stake_id is not None:
        ensure_table(seating.table.stake_id)
    return seating


@retried
def ensure_table(stake_id: int) -> None:
    """Open a table of the stake, if it is on offer and none of its tables can be joined now."""
    stake = on_offer().filter(pk=stake_id).first()
    if stake is not None:
        _joinable_or_new(stake)


def ensure_tables() -> None:
    """Open a table of every stake on offer that has none that can be joined now; skip it on TableError."""
    stakes = list(on_offer())
    with_room = open_tables.stakes_with_room([stake.pk for stake in stakes])
    for stake in stakes:
        if stake.pk not in with_room:
            with suppress(TableError):
                _joinable_or_new(stake)


def announce(stake_id: int) -> None:
    """Give the stake a table to join, if it is on offer, and push the change to every open lobby after commit."""
    ensure_table(stake_id)
    message = {"type": "lobby.stake", "stake_id": stake_id}
    transaction.on_commit(lambda: broadcast.send(broadcast.LOBBY_GROUP, message))


def offered_stake(stake_id: int) -> Stake:
    """Return the stake of that number, if it is on offer. TableError `not_found`."""
    stake = on_offer().filter(pk=stake_id).first()
    if stake is None:
        raise TableError("not_found", _("This stake is not offered."), status=404)
    return stake


@retried
def practice(
    *,
    user: Player,
    book_key: str,
    players: int,
    strength: str = Strength.SOUND,
    unhurried: bool = False,
    guided: bool = False,
) -> Seating:
    """Seat the player at a practice table: their own open one with the same terms and strength, else a new one.

    Computer players of that strength take all other seats; `players` counts everyone, the player included. At an
    `unhurried` table no turn ends automatically, and computer players wait while the player is away. At a `guided` one
    the first deal comes with hints. TableError `computers_off`, `unknown_book`, `bad_players`, `unknown_strength`, and
    the refusals of `tables.play.services.sit`.
    """
    if not settings.COMPUTER_PLAYERS:
        raise TableError("computers_off", _("Practice tables are switched off."), status=403)
    book = BOOKS.get(book_key)
    if book is None:
        raise TableError("unknown_book", _("There is no such rule book."), status=400)
    if not book.min_seats <= players <= book.max_seats:
        limits = (
            _("{min_seats} to {max_seats}", min_seats=book.min_seats, max_seats=book.max_seats)
            if book.max_seats > book.min_seats
            else str(book.min_seats)
        )
        raise TableError(
            "bad_players", _("{title} is for {limits} players.", title=book.title, limits=limits), status=400
        )
    if strength not in list(Strength):
        raise TableError("unknown_strength", _("Computer players are gentle, sound, sharp or expert."), status=400)
    terms = practice_terms(book_key, players, unhurried=unhurried)
    with transaction.atomic():
        # Otherwise two calls at once, as by a double click, would each find no open table.
        admission.lock_player_row(user.pk)
        if (waiting := _open_practice(user, terms, strength)) is not None:
            return waiting
        check_free_hand(user.pk)
        table = open_table(
            terms=terms,
            title=f"Practice · {book.title} · {strength}",
            currency=settings.PRACTICE_CURRENCY,
            practice_for=user,
            computers=players - 1,
            strength=Strength(strength),
            guided=guided,
        )
        return play.sit(table_id=table.pk, user=user, amount=None)


def _open_practice(user: Player, terms: Terms, strength: str) -> Seating | None:
    """Return the player's seat at their practice table of these terms; None where there is none, or it is over."""
    expected = {"practice_for_id": user.pk, "terms": codec.dump_terms(terms), "strength": strength}
    for seating in own_seatings(user.pk):
        table = seating.table
        matches = {name: getattr(table, name) for name in expected} == expected
        if matches and table.status == Table.Status.OPEN and table.phase != Phase.OVER:
            return seating
    return None


def first_game(*, user: Player) -> Seating:
    """Return the seat that the player has, or seat them at a practice table of the simplest game.

    Its computer players are gentle, and the first deal comes with hints. TableError as for `practice`.
    """
    if (seating := next(iter(own_seatings(user.pk)), None)) is not None:
        return seating
    return practice(
        user=user, book_key=FIRST_BOOK, players=FIRST_PLAYERS, strength=Strength.GENTLE, unhurried=True, guided=True
    )


def practice_terms(book_key: str, players: int, *, unhurried: bool = False) -> Terms:
    """Return the terms of a practice table: one chip a point or a hundred chips entry, no fee."""
    book = BOOKS[book_key]
    for_points = book.per_point
    return Terms(
        book=book_key,
        book_version=book.version,
        seats=players,
        point_value=PRACTICE_POINT_VALUE if for_points else 0,
        entry=0 if for_points else PRACTICE_ENTRY,
        minimum=book.least_stack(PRACTICE_POINT_VALUE) if for_points else 0,
        clocks=UNHURRIED_CLOCKS if unhurried else PRACTICE_CLOCKS,
    )


def open_private(*, stake_id: int, user: Player) -> str:
    """Open a table of the stake and return the code, without which nobody finds it. TableError `not_found`."""
    stake = offered_stake(stake_id)
    count_private_table(user)
    title = f"{FOR_FRIENDS} · {stake}"
    table = host_table(user, terms=stake.terms(), title=title, currency=stake.currency, stake_id=stake.pk)
    return table.private_code


def sit_by_code(*, code: str, user: Player, amount: int | None = None, seat: int | None = None) -> Seating:
    """Seat the player at the private table of that code. TableError: `not_found`, and the refusals of `sit`."""
    table = private_table(code, reader_id=user.pk)
    guests.ensure_wallet(user)
    return play.sit(table_id=table.pk, user=user, amount=amount, seat=seat)


def find_private_table(request: HttpRequest, code: str) -> Table:
    """Return the open table of a code that somebody sent; wrong ones are counted and recorded like failed sign-ins.

    TableError `not_found`; SignInRefused after too many.
    """
    address, player_id = client_address(request), request.user.pk
    limits = [(FROM_ADDRESS, FROM_ADDRESS.key(address))]
    if player_id is not None:
        limits.insert(0, (BY_PLAYER, BY_PLAYER.key(player_id)))
    with sign_in.tries_counted(request, limits, how=SignIn.How.TABLE, wrong="not_found", player_id=player_id):
        return private_table(code, reader_id=player_id)


def private_table(code: str, *, reader_id: int | None = None) -> Table:
    """Return the open table of that code, however the code was typed.

    TableError `not_found`, also for a reader whom its host has blocked.
    """
    tidy = tidy_code(code)
    table = Table.objects.filter(private_code=tidy, status=Table.Status.OPEN).first() if tidy else None
    if table is None:
        raise TableError("not_found", NO_TABLE, status=404)
    if reader_id is not None:
        check_welcome(table.pk, reader_id)
    return table


def tidy_code(code: str) -> str:
    """Return a typed code in the form in which it was given out: letters and digits only, upper case."""
    return "".join(filter(str.isalnum, code)).upper()


def _own_table(user: Player, stake: Stake) -> int | None:
    tables = (seating.table for seating in own_seatings(user.pk))
    return next((table.pk for table in tables if table.stake_id == stake.pk and not table.private_code), None)


@retried
def _joinable_or_new(stake: Stake, seat: int | None = None, *, without: Collection[int] = ()) -> int:
    table_id = open_tables.joinable(stake.pk, seat, without=without)
    if table_id is not None:
        return table_id
    with transaction.atomic():
        # A caller that had to wait for the lock finds the table that the other has opened.
        lock_stake(stake)
        table_id = open_tables.joinable(stake.pk, seat, without=without)
        return _open_table(stake) if table_id is None else table_id


def lock_stake(stake: Stake) -> Stake:
    """Lock the row of the stake and return its present state; no public table of it opens while it is locked."""
    return Stake.objects.select_for_update().get(pk=stake.pk)


def _open_table(stake: Stake) -> int:
    table = open_table(terms=stake.terms(), title=str(stake), currency=stake.currency, stake_id=stake.pk)
    return int(table.pk)


def seat_in_family(*, family: str, user: Player) -> Seating:
    """Seat the player at a table of that family for fun chips: where people wait, else where they play, else anywhere.

    The buy-in is a tenth of what the player's balance and own limits allow, within the stake's limits. A stake that
    asks for more is chosen only where it is the cheapest. Called again while the table waits for a deal, it returns the
    same seat. TableError `not_found` where the family has no stake on offer, and every refusal of
    `tables.play.services.sit` that another table would not lift.
    """
    guests.ensure_wallet(user)
    free, room = spendable(user.pk, "FUN"), admission.remaining(user.pk, "FUN")
    part = (free if room is None else min(free, room)) // MODEST_PART
    most = most_to_bring(user)
    part = part if most is None else min(part, most)
    offered = _offered_in(family)
    own = Seating.objects.filter(user=user, left_at=None, table__stake_id__in=[stake.pk for stake in offered])
    waiting = own.filter(table__private_code="", table__phase__in=open_tables.BEFORE_A_DEAL).first()
    if waiting is not None:
        return waiting
    affordable = _modest(offered, part)
    stake_ids = [stake.pk for stake in affordable]
    amounts = {stake.pk: max(stake.least, min(part, stake.most or part)) for stake in affordable}
    for table in open_tables.with_people(stake_ids, ATTEMPTS):
        try:
            return sit_at(table_id=table.pk, user=user, amount=amounts[table.stake_id or 0])
        except (Refusal, RulesError) as error:
            if error.code not in TRY_ANOTHER:
                raise
    usual_id = _usual(affordable, user).pk
    return quick_seat(stake_id=usual_id, user=user, amount=amounts[usual_id])


def _offered_in(family: str) -> list[Stake]:
    stakes = list(on_offer().filter(book__in=books_of(family), currency="FUN"))
    if not stakes:
        raise TableError("not_found", _("No stake of this family is offered."), status=404)
    return sorted(stakes, key=lambda stake: stake.least)


def _modest(stakes: list[Stake], part: int) -> list[Stake]:
    """Return the stakes that ask for no more than `part`; the cheapest one where there is none."""
    return [stake for stake in stakes if stake.least <= part] or stakes[:1]


def _usual(affordable: list[Stake], user: Player) -> Stake:
    """Return the stake at which the player sat last, or the cheapest."""
    last = Seating.objects.filter(user=user, table__stake_id__in=[stake.pk for stake in affordable]).order_by("-pk")
    stake_id = last.values_list("table__stake_id", flat=True).first()
    return next((stake for stake in affordable if stake.pk == stake_id), affordable[0])
