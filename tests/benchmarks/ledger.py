"""Every kind of posting, one commit each, beside the same transfers as plain SQL.

The floor writes the same rows into tables of the same columns, constraints and indexes, with the same commit, in as
few statements as SQL needs. It has no triggers, looks up no key, computes no digest and no link, and is told the ids
of its accounts. The two take turns, so that a busy machine slows both alike.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError
from django.db import connection, transaction

from wallet.audit import audit
from wallet.models import Account, Transfer
from wallet.play_money import services as play_money

SEATS = range(1, 7)
STACK = 10_000
#: Every winner wins as often as every other, so that no stack runs dry.
LOSS, FEE, ENTRY = 10, 5, 6
TABLES = ("wallet_account", "wallet_posting", "wallet_transfer")
SEAL = "0" * 64

Lines = list[tuple[int, int, int]]
Players = dict[int, Any]


def measure(count: int = 300, connections: int = 1) -> dict[str, Any]:
    """Return milliseconds of wall time of `count` postings of each kind, and transfers a second, beside the floor.

    With several connections: deals alone, on all of them at once, and the number of lock waits.
    """
    with scratch_database():
        players = _seat_players()
        if connections > 1:
            from tests.benchmarks._connections import measure_together

            together = measure_together(connections, count)
            assert [each for each in audit.audit().differences if each.check != "derived"] == []
            return together
        plain = Plain()
        kinds = {what: _race(act, players, plain, count) for what, act in KINDS.items()}
        # No table tells of what was posted here: of the audit only the wallet's own part applies.
        assert [each for each in audit.audit().differences if each.check != "derived"] == []
    ours, floor = (_figures([each for kind in kinds.values() for each in kind[side]]) for side in (0, 1))
    what = f"postings of every kind, one commit each, on {connection.vendor}"
    each = {name: _figures(kind[0]) | {"floor": _figures(kind[1])} for name, kind in kinds.items()}
    whole = {"what": what, "unit": "ms", "count": count * len(kinds)} | ours
    return whole | {"floor": {"what": "the same transfers as plain SQL"} | floor, "kinds": _with_shares(each)}


Times = list[tuple[float, int]]


def _race(act: Callable[[int, Players], None], players: Players, plain: "Plain", count: int) -> tuple[Times, Times]:
    """Return milliseconds and number of transfers of each posting, ours and the same as plain SQL right after it."""
    ours, floor = [], []
    for number in range(count):
        took = _timed(lambda: act(number, players))  # noqa: B023  called at once
        opened, lines = plain.what_happened()
        ours.append((took, len(lines)))
        floor.append((_timed(lambda: plain.post(opened, lines)), len(lines)))  # noqa: B023  called at once
    return ours, floor


def _timed(call: Callable[[], None]) -> float:
    start = perf_counter()
    call()
    return (perf_counter() - start) * 1000


def _figures(times: Times) -> dict[str, float]:
    each = sorted(took for took, _ in times)
    at = {"median": 0.5, "p95": 0.95, "p99": 0.99}
    figures = {name: round(each[int(len(each) * share)], 3) for name, share in at.items()}
    return figures | {"transfers_per_second": round(sum(moved for _, moved in times) * 1000 / sum(each))}


def _with_shares(kinds: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the figures of each kind with its share of the floor's speed."""
    for figures in kinds.values():
        share = figures["transfers_per_second"] / figures["floor"]["transfers_per_second"]
        figures["of_floor"] = round(share, 2)
    return kinds


@contextmanager
def scratch_database() -> Iterator[None]:
    """Switch to a new database on the same engine and settings, and drop it afterwards."""
    _refuse_who_may_make_none()
    with TemporaryDirectory() as folder:
        name = connection.settings_dict["NAME"]
        if connection.vendor == "sqlite":
            connection.settings_dict["TEST"]["NAME"] = str(Path(folder) / "bench.sqlite3")
        connection.creation.create_test_db(verbosity=0, autoclobber=True)
        try:
            _make_sure_of_it()
            yield
        finally:
            _send_others_away()
            connection.creation.destroy_test_db(str(name), verbosity=0)


def _refuse_who_may_make_none() -> None:
    if connection.vendor != "postgresql":
        return
    # A pool that is open by now would go on leading to the database of those who play.
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    with connection.creation._nodb_cursor() as cursor:
        cursor.execute("SELECT rolcreatedb OR rolsuper, current_user FROM pg_roles WHERE rolname = current_user")
        [(may, role)] = cursor.fetchall()
    if not may:
        raise CommandError(f"{role} may not create a database to measure in: take a role with CREATEDB.", returncode=2)


def _make_sure_of_it() -> None:
    """Refuse a database in which anybody has signed up: it is no new one, but that of an installation."""
    if get_user_model().objects.exists():
        raise CommandError("The database to measure in is not a new one.", returncode=1)


def _send_others_away() -> None:
    """End other connections, since PostgreSQL drops no database that has any; threads that served keep theirs."""
    if connection.vendor != "postgresql":
        return
    name = connection.settings_dict["NAME"]
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    with connection.creation._nodb_cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])


class Plain:
    """Tables like those of the books, without triggers, and the postings put into them by plain SQL."""

    def __init__(self) -> None:
        self.accounts = self.transfers = 0
        self._numbers = itertools.count(1)
        with connection.cursor() as cursor:
            for statement in _copies():
                cursor.execute(statement)
        opened, _ = self.what_happened()
        with connection.cursor() as cursor:
            self._open(cursor, opened)
            cursor.execute(
                "UPDATE plain_account SET balance ="
                " (SELECT balance FROM wallet_account WHERE wallet_account.id = plain_account.id)"
            )

    def what_happened(self) -> tuple[list[tuple[Any, ...]], Lines]:
        """Return the accounts opened and the transfers made in the books since the last call."""
        fields = ("id", "kind", "reference", "currency", "owner_id")
        opened = list(Account.objects.filter(pk__gt=self.accounts).order_by("pk").values_list(*fields))
        transfers = Transfer.objects.filter(pk__gt=self.transfers).order_by("pk")
        rows = list(transfers.values_list("id", "debit_id", "credit_id", "amount"))
        self.accounts = opened[-1][0] if opened else self.accounts
        self.transfers = rows[-1][0] if rows else self.transfers
        return opened, [(debit, credit, amount) for _, debit, credit, amount in rows]

    @transaction.atomic
    def post(self, opened: Sequence[tuple[Any, ...]], lines: Lines) -> None:
        """Write the same rows again as plain SQL, in one commit."""
        if not lines:
            with connection.cursor() as cursor:
                self._open(cursor, opened)
            return
        posting = next(self._numbers)
        ids = sorted({account for debit, credit, _ in lines for account in (debit, credit)})
        with connection.cursor() as cursor:
            self._open(cursor, opened)
            balances = self._held(cursor, ids)
            cursor.execute(
                "INSERT INTO plain_posting (id, key, digest, reason, created_at)"
                " VALUES (%s, %s, %s, 'deal', '2026-11-21 00:00:00+00:00')",
                [posting, f"posting:{posting}", SEAL],
            )
            rows = _rows(posting, lines, balances)
            marks = ", ".join(["(%s, %s, %s, %s, %s, %s, %s, %s)"] * len(lines))
            cursor.execute(
                "INSERT INTO plain_transfer"
                f" (posting_id, line, debit_id, credit_id, amount, debit_balance, credit_balance, seal) VALUES {marks}",
                rows,
            )
            changes = [(balances[pk], SEAL, pk) for pk in ids]
            cursor.executemany("UPDATE plain_account SET balance = %s, head = %s WHERE id = %s", changes)

    def _open(self, cursor: Any, opened: Sequence[tuple[Any, ...]]) -> None:
        insert = "INSERT INTO plain_account (id, kind, reference, currency, owner_id, balance, head)"
        for account in opened:
            cursor.execute(f"{insert} VALUES (%s, %s, %s, %s, %s, 0, '')", account)

    def _held(self, cursor: Any, ids: Sequence[int]) -> dict[int, int]:
        lock = "" if connection.vendor == "sqlite" else " FOR NO KEY UPDATE"
        marks = ", ".join(["%s"] * len(ids))
        cursor.execute(f"SELECT id, balance FROM plain_account WHERE id IN ({marks}) ORDER BY id{lock}", ids)
        return dict(cursor.fetchall())


def _rows(posting: int, lines: Lines, balances: dict[int, int]) -> list[Any]:
    rows: list[Any] = []
    for line, (debit, credit, amount) in enumerate(lines):
        balances[debit] -= amount
        balances[credit] += amount
        rows += (posting, line, debit, credit, amount, balances[debit], balances[credit], SEAL)
    return rows


def _copies() -> list[str]:
    """Return statements that make tables with the columns, constraints and indexes of the books."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            marks = ", ".join(["%s"] * len(TABLES))
            cursor.execute(
                f"SELECT sql FROM sqlite_master WHERE tbl_name IN ({marks}) AND type IN ('table', 'index')"
                " AND sql IS NOT NULL ORDER BY type DESC",
                TABLES,
            )
            return [sql.replace("wallet_", "plain_") for (sql,) in cursor.fetchall()]
    plain = [table.replace("wallet_", "plain_") for table in TABLES]
    copies = [f"CREATE TABLE {copy} (LIKE {table} INCLUDING ALL)" for table, copy in zip(TABLES, plain, strict=True)]
    late = "DEFERRABLE INITIALLY DEFERRED"
    keys = [
        f"ALTER TABLE plain_transfer ADD FOREIGN KEY ({column}_id) REFERENCES plain_{table} {late}"
        for column, table in (("posting", "posting"), ("debit", "account"), ("credit", "account"))
    ]
    owner = f"ALTER TABLE plain_account ADD FOREIGN KEY (owner_id) REFERENCES lobby_player {late}"
    return [*copies, *keys, owner]


def _seat_players() -> Players:
    """Seat six players with a stack each at a points table, and one of them for the matches of pools."""
    players = {seat: get_user_model()._default_manager.create(username=f"player{seat}") for seat in SEATS}
    for seat, user in players.items():
        play_money.open_wallet(user)
        play_money.buy_in(seating=seat, user=user, currency="FUN", amount=STACK // 2)
    return players


def _buy_in(number: int, players: Players) -> None:
    seat = SEATS[number % len(SEATS)]
    play_money.buy_in(seating=_stay(number), user=players[seat], currency="FUN", amount=ENTRY)


def _add_chips(number: int, players: Players) -> None:
    seat = SEATS[number % len(SEATS)]
    key = f"seating:{seat}:add:{number}"
    play_money.add_chips(seating=seat, user=players[seat], currency="FUN", amount=1, key=key)


def _deal(number: int, players: Players) -> None:
    winner = SEATS[number % len(SEATS)]
    losses = {seat: LOSS for seat in SEATS if seat != winner}
    play_money.settle_deal(key=f"deal:{number}:settle", currency="FUN", winner=winner, losses=losses, fee=FEE)


def _entries(number: int, players: Players) -> None:
    play_money.take_entries(match=number, currency="FUN", entries=dict.fromkeys(SEATS, 1))


def _rejoin(number: int, players: Players) -> None:
    seat = SEATS[number % len(SEATS)]
    key = f"match:{number}:seating:{seat}:rejoin:1"
    play_money.rejoin_entry(match=number, seating=seat, user=players[seat], currency="FUN", amount=1, key=key)


def _payout(number: int, players: Players) -> None:
    """Pay a prize for two after an even number of matches, else cancel the match and refund everybody."""
    rejoined = SEATS[number % len(SEATS)]
    if number % 2:
        play_money.award_prize(match=number, currency="FUN", shares={1: 4, 2: 2}, fee=1)
    else:
        refunds = {seat: 1 + (seat == rejoined) for seat in SEATS}
        play_money.refund_match(match=number, currency="FUN", refunds=refunds)


def _cash_out(number: int, players: Players) -> None:
    play_money.cash_out(seating=_stay(number), amount=ENTRY, key=f"seating:{_stay(number)}:SeatLeft")


def _stay(number: int) -> int:
    return 1000 + number


#: In this order: what is paid out was paid in before.
KINDS: dict[str, Callable[[int, Players], None]] = {
    "a seat taken": _buy_in,
    "chips added": _add_chips,
    "a deal of six": _deal,
    "entries of six": _entries,
    "a rejoin": _rejoin,
    "a prize or a refund": _payout,
    "a seat left": _cash_out,
}
