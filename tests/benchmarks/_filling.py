"""A month of deals put into a ledger in bulk, with the balances, digests, links and sums that posting would have
given."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import count
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.color import no_style
from django.db import connection, transaction

from wallet.base import triggers
from wallet.base.places import COLUMNS, NOWHERE, PostingPlace
from wallet.base.report_zone import midnight
from wallet.ledger import sums
from wallet.ledger.hash_chain import link_hash
from wallet.ledger.ledger import digest
from wallet.ledger.triggers import TRIGGERS
from wallet.models import Account, AccountKind, Posting, Reason, Transfer

#: The month, in the report zone; the postings are spread evenly over it.
FIRST, DAYS = date(2026, 10, 1), 30
PLAYERS, SEATS = 1_000, 5
WELCOME, STACK, LOSS, FEE = 10**9, 10**8, 40, 4
#: After so many deals a table closes, and its players go on at another.
DEALS_A_TABLE = 50
STAKES, BOOKS = 8, ("points-80", "blind-80")
#: Rows that are put into the database at once.
_BATCH = 20_000
_POSTING = ("id", "key", "digest", "reason", "created_at", *COLUMNS)
_TRANSFER = (
    "id", "posting_id", "line", "debit_id", "credit_id", "amount", "debit_balance", "credit_balance", "seal",
)  # fmt: skip

#: Key, reason, place, and (debit, credit, amount) of each line.
Plan = tuple[str, Reason, PostingPlace | None, list[tuple[int, int, int]]]


def fill(rows: int) -> None:
    """Fill an empty ledger with `rows` transfers, with its triggers off meanwhile."""
    users, accounts = _open()
    books = _Books(rows)
    triggers.remove(connection, TRIGGERS)
    with transaction.atomic():
        for postings, transfers in books.written(_plans(users, accounts)):
            _insert("wallet_posting", _POSTING, postings)
            _insert("wallet_transfer", _TRANSFER, transfers)
        with connection.cursor() as cursor:
            changes = [(books.balances[pk], books.heads[pk], pk) for pk in books.balances]
            cursor.executemany("UPDATE wallet_account SET balance = %s, head = %s WHERE id = %s", changes)
            for statement in connection.ops.sequence_reset_sql(no_style(), [Posting, Transfer]):
                cursor.execute(statement)
    triggers.install(connection, TRIGGERS)
    # As the night does.
    sums.close_days()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


class _Books:
    """The balances of all accounts while transfers are made up."""

    def __init__(self, rows: int) -> None:
        self.balances: dict[int, int] = {}
        self.heads: dict[int, str] = {}
        self._left, self._rows = rows, rows
        self._began = midnight(FIRST)

    def written(self, plans: Iterator[Plan]) -> Iterator[tuple[list[Any], list[Any]]]:
        """Yield batches of rows of postings and of their transfers."""
        postings: list[Any] = []
        transfers: list[Any] = []
        for number, (key, reason, place, lines) in enumerate(plans, start=1):
            lines = lines[: self._left]
            content, made_at = digest(key, reason, lines, place), self._moment()
            at = NOWHERE if place is None else place.listed()
            postings.append((number, key, content, str(reason), made_at, *at))
            for line, each in enumerate(lines):
                transfers.append((self._rows - self._left + 1, number, *self._move(content, made_at, line, *each)))
                self._left -= 1
            if len(transfers) >= _BATCH or not self._left:
                yield postings, transfers
                postings, transfers = [], []
            if not self._left:
                return

    def _moment(self) -> datetime:
        return self._began + timedelta(days=DAYS) * ((self._rows - self._left) / self._rows)

    def _move(
        self, content: str, made_at: datetime, line: int, debit: int, credit: int, amount: int
    ) -> tuple[Any, ...]:
        figures = (amount, self.balances.get(debit, 0) - amount, self.balances.get(credit, 0) + amount)
        before = (self.heads.get(debit, ""), self.heads.get(credit, ""))
        proof = link_hash(before, content, made_at, (line, debit, credit, *figures))
        _, self.balances[debit], self.balances[credit] = figures
        self.heads[debit] = self.heads[credit] = proof
        return (line, debit, credit, *figures, proof)


def _open() -> tuple[list[int], dict[tuple[AccountKind, int], int]]:
    """Return the ids of the players, and of accounts by kind and player number; number 0 is the house."""
    users = [get_user_model()(username=f"player{number}", password="!") for number in range(1, PLAYERS + 1)]
    get_user_model()._default_manager.bulk_create(users)
    house = [Account(kind=kind, reference="house", currency="FUN") for kind in (AccountKind.ISSUANCE, AccountKind.FEES)]
    own = [Account(kind=AccountKind.PLAYER, reference=f"user:{user.pk}", currency="FUN", owner=user) for user in users]
    stacks = [
        Account(kind=AccountKind.STACK, reference=f"seating:{number}", currency="FUN", owner=user)
        for number, user in enumerate(users, start=1)
    ]
    Account.objects.bulk_create([*house, *own, *stacks])
    numbered = [(each, 0) for each in house] + [(each, n) for kind in (own, stacks) for n, each in enumerate(kind, 1)]
    return [user.pk for user in users], {
        (AccountKind(account.kind), number): account.pk for account, number in numbered
    }


def _plans(users: list[int], accounts: dict[tuple[AccountKind, int], int]) -> Iterator[Plan]:
    """Yield the postings of sign-up and seating, then of deal after deal, which each seat of a table wins in turn."""
    for number, user in enumerate(users, start=1):
        own = accounts[AccountKind.PLAYER, number]
        yield f"signup:{user}", Reason.SIGN_UP, None, [(accounts[AccountKind.ISSUANCE, 0], own, WELCOME)]
        yield f"seating:{number}:in", Reason.BUY_IN, None, [(own, accounts[AccountKind.STACK, number], STACK)]
    for number in count():
        (round_, table), winner = divmod(number, PLAYERS // SEATS), number // (PLAYERS // SEATS) % SEATS
        seats = [accounts[AccountKind.STACK, table * SEATS + seat + 1] for seat in range(SEATS)]
        losses = [(seat, seats[winner], LOSS) for seat in seats if seat != seats[winner]]
        lines = [*losses, (seats[winner], accounts[AccountKind.FEES, 0], FEE)]
        yield f"deal:{number}:settle", Reason.DEAL, _place(round_ // DEALS_A_TABLE, table, number), lines


def _place(generation: int, table: int, deal: int) -> PostingPlace:
    number = generation * (PLAYERS // SEATS) + table + 1
    stake = number % STAKES + 1
    return PostingPlace(
        table=number, title=f"Table {number}", book=BOOKS[stake % len(BOOKS)], stake=stake, match=number, deal=deal
    )


def _insert(table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    names = ", ".join(columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(columns))
            adapt = connection.ops.adapt_datetimefield_value
            plain = [[adapt(each) if isinstance(each, datetime) else each for each in row] for row in rows]
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", plain)
