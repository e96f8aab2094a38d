"""Reading the books: balances, stacks and pots; `statements` reads what a player is shown of them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, TypedDict

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from wallet.base.places import COLUMNS, PostingPlace
from wallet.ledger import accounts
from wallet.ledger.accounts import AccountName, common_reference
from wallet.ledger.sums import Quarter, day_of
from wallet.models import HELD, OF_TABLES, Account, AccountKind, Posting, Reason, Transfer


class Balance(TypedDict):
    """Balances as whole numbers of the currency's smallest unit."""

    currency: str
    free: Annotated[int, "What can be taken to a table."]
    in_play: Annotated[int, "What lies on stacks at tables and in pots not yet paid out."]


def balances(user: AbstractBaseUser) -> list[Balance]:
    """Return the user's money, one entry for each currency in which they have an account."""
    accounts = Account.objects.filter(HELD, owner_id=user.pk).order_by("currency", "pk")
    by_currency: dict[str, Balance] = {}
    for account in accounts:
        balance = by_currency.setdefault(account.currency, {"currency": account.currency, "free": 0, "in_play": 0})
        balance["free" if account.kind == AccountKind.PLAYER else "in_play"] += account.balance
    # A pot ends at 0: while it holds anything, what its players paid in is still being played for.
    for sign, pot, own in ((1, "credit", "debit"), (-1, "debit", "credit")):
        sides = {f"{pot}__kind": AccountKind.POT, f"{pot}__balance__gt": 0, f"{own}__owner_id": user.pk}
        entries = Transfer.objects.filter(**sides).values_list(f"{pot}__currency")
        for code, amount in entries.annotate(Sum("amount")).order_by():
            by_currency[code]["in_play"] += sign * amount
    return list(by_currency.values())


def net_at_tables(owner_id: int, currency: str, tables: Collection[int], since: datetime) -> int:
    """Return what came back to the owner's balance from these tables since then, less what went there."""
    transfers = Transfer.objects.filter(
        posting__at_table__in=tables, posting__created_at__gte=since, debit__currency=currency
    )
    back = Q(credit__kind=AccountKind.PLAYER, credit__owner_id=owner_id)
    there = Q(debit__kind=AccountKind.PLAYER, debit__owner_id=owner_id)
    sums = transfers.aggregate(back=Sum("amount", filter=back), there=Sum("amount", filter=there))
    return (sums["back"] or 0) - (sums["there"] or 0)


def won_by_stacks(seatings: Iterable[int], since: datetime) -> int:
    """Return what these seatings have won since then, or less than 0 for lost: not what they brought or took away."""
    names = [accounts.stack_name(seating) for seating in seatings]
    stacks = [stack.pk for stack in accounts.find_accounts(AccountKind.STACK, [name.reference for name in names])]
    lately = Transfer.objects.filter(posting__created_at__gte=since)
    won = lately.filter(credit__in=stacks).exclude(debit__kind=AccountKind.PLAYER).aggregate(Sum("amount"))
    lost = lately.filter(debit__in=stacks).exclude(credit__kind=AccountKind.PLAYER).aggregate(Sum("amount"))
    return (won["amount__sum"] or 0) - (lost["amount__sum"] or 0)


def pot_results(
    user: AbstractBaseUser,
    *,
    table: int | None = None,
    book: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> dict[str, int]:
    """Return by currency the user's result in finished matches: prizes less entries and rejoins.

    It is limited to one `table`, one `book`, and `since <= time of the payment < until`, where these are given. Matches
    that were cancelled, whose entries went back on whatever day, count nowhere; the pot of a tournament is none of a
    match.
    """
    conditions = {
        "posting__at_table": table,
        "posting__at_book": book,
        "posting__created_at__gte": since,
        "posting__created_at__lt": until,
    }
    filters = {name: value for name, value in conditions.items() if value is not None}
    return {code: amount for [code], amount in _pot_changes(user, ["debit__currency"], filters).items()}


def pot_days(user: AbstractBaseUser, currency: str, since: datetime | None) -> dict[tuple[str, date], int]:
    """Return the results of `pot_results` in one currency, by rule book and day of the report zone."""
    filters = {"debit__currency": currency} | ({} if since is None else {"posting__created_at__gte": since})
    days: dict[tuple[str, date], int] = {}
    for (book, quarter), amount in _pot_changes(user, ["posting__at_book", "quarter"], filters).items():
        day = book, day_of(quarter)
        days[day] = days.get(day, 0) + amount
    return days


def _pot_changes(
    user: AbstractBaseUser, fields: Sequence[str], filter_by: Mapping[str, Any]
) -> dict[tuple[Any, ...], int]:
    changes: dict[tuple[Any, ...], int] = {}
    # A pot that still holds something is being played for.
    for sign, pot, own in ((1, "debit", "credit"), (-1, "credit", "debit")):
        of_matches = {f"{pot}__kind": AccountKind.POT, f"{pot}__reference__startswith": "match:"}
        sides = {**of_matches, f"{pot}__balance": 0, f"{own}__owner_id": user.pk}
        refunds = Transfer.objects.filter(debit=OuterRef(pot), posting__reason=Reason.REFUND)
        transfers = Transfer.objects.filter(~Exists(refunds), **sides, **filter_by)
        transfers = transfers.annotate(quarter=Quarter("posting__created_at"))
        for *group, amount in transfers.values_list(*fields).annotate(Sum("amount")).order_by():
            changes[tuple(group)] = changes.get(tuple(group), 0) + sign * amount
    return changes


def prizes(user: AbstractBaseUser, tables: Iterable[int]) -> dict[int, int]:
    """Return by match what the user won of the pots at these tables, in the smallest unit of the currency."""
    won = Transfer.objects.filter(posting__at_table__in=tables, posting__reason=Reason.PRIZE, credit__owner_id=user.pk)
    return dict(won.values_list("posting__at_match").annotate(Sum("amount")).order_by())


def winners(matches: Iterable[int]) -> dict[int, set[int]]:
    """Return by match the players who won its pot, or a part of it."""
    won = Transfer.objects.filter(posting__at_match__in=list(matches), posting__reason=Reason.PRIZE)
    found: dict[int, set[int]] = {}
    for match, player in won.values_list("posting__at_match", "credit__owner_id"):
        if match is not None and player is not None:
            found.setdefault(match, set()).add(player)
    return found


def spendable(user_id: int, currency: str) -> int:
    """Return what the user can spend in that currency, in smallest units; 0 without an account."""
    return _balance(accounts.balance_name(user_id, currency), currency=currency)


def stack(seating: int) -> int:
    """Return the seating's stack in smallest units; 0 where it never had one."""
    return _balance(accounts.stack_name(seating))


def pot(match: int) -> int:
    """Return the pot of the match in smallest units; 0 where it never had one."""
    return _balance(accounts.pot_name(match))


def stacks_by_seating() -> dict[int, int]:
    """Return the stacks by seating, in smallest units; empty ones are left out."""
    return _nonzero_balances(AccountKind.STACK, "seating:")


def pots_by_match() -> dict[int, int]:
    """Return the pots by match, in smallest units; empty ones are left out."""
    return _nonzero_balances(AccountKind.POT, "match:")


def stack_changes(keys: Collection[str]) -> dict[str, dict[int, int]]:
    """Return, by key of a posting and seating, the change of the stack in smallest units.

    A key without a posting is left out. Pass some hundreds of keys at once.
    """
    changes: dict[str, dict[int, int]] = {}
    rows = Transfer.objects.filter(posting__key__in=keys).select_related("posting", "debit", "credit")
    for transfer in rows.iterator():
        for account, change in ((transfer.debit, -transfer.amount), (transfer.credit, transfer.amount)):
            if account.kind == AccountKind.STACK:
                seating = int(account.reference.removeprefix("seating:"))
                of_posting = changes.setdefault(transfer.posting.key, {})
                of_posting[seating] = of_posting.get(seating, 0) + change
    return changes


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """A transfer of `amount` smallest units from the account `debit`, kind and reference, to `credit`.

    A sub-account of the house has the reference of the whole.
    """

    debit: tuple[str, str]
    credit: tuple[str, str]
    amount: int


@dataclass(slots=True)
class Posted:
    """A posting in the books."""

    reason: str
    currency: str
    entries: list[Entry]
    place: PostingPlace | None


#: What `posted` reads of each transfer.
_OF_ENTRIES = (
    *("posting__key", "posting__reason", "debit__currency"),
    *("debit__kind", "debit__reference", "credit__kind", "credit__reference", "amount"),
    *(f"posting__{column}" for column in COLUMNS),
)


def posted(keys: Collection[str]) -> dict[str, Posted]:
    """Return the postings by key; a key without one is left out. Pass some hundreds of keys at once."""
    postings: dict[str, Posted] = {}
    rows = Transfer.objects.filter(posting__key__in=keys).order_by("posting_id", "line").values_list(*_OF_ENTRIES)
    for key, reason, currency, debit, debit_name, credit, credit_name, amount, *place in rows.iterator():
        recorded = postings.get(key)
        if recorded is None:
            recorded = postings[key] = Posted(reason, currency, [], PostingPlace.of(place))
        entry = Entry((debit, common_reference(debit_name)), (credit, common_reference(credit_name)), amount)
        recorded.entries.append(entry)
    return postings


def keys_of_play() -> Iterator[str]:
    """Yield the key of every posting that tables make."""
    return Posting.objects.filter(reason__in=OF_TABLES).order_by("pk").values_list("key", flat=True).iterator()


def count_of_play() -> int:
    """Count the postings that tables have made."""
    return Posting.objects.filter(reason__in=OF_TABLES).count()


def count_of_tournaments() -> int:
    """Count the postings of entries, prizes and refunds of tournaments."""
    return Posting.objects.filter(
        reason__in=(Reason.TOURNAMENT_ENTRY, Reason.TOURNAMENT_PRIZE, Reason.TOURNAMENT_REFUND)
    ).count()


def chips_of_tournament(tournament: int) -> int:
    """Return how many chips the tournament has issued and not taken back."""
    return -_balance(AccountName(AccountKind.ISSUANCE, f"tournament:{tournament}"))


def chips_on_stacks(seatings: Iterable[int]) -> int:
    """Return how many chips lie before these seatings."""
    stacks = Account.objects.filter(kind=AccountKind.STACK, reference__in=[f"seating:{pk}" for pk in seatings])
    return stacks.exclude(balance=0).aggregate(total=Sum("balance"))["total"] or 0


def tables_after(posting: int, first: int, count: int) -> set[int]:
    """Return those of the `count` tables from id `first` on at which something was posted after that posting."""
    rows = Posting.objects.filter(pk__gt=posting, at_table__gte=first, at_table__lt=first + count).order_by()
    return {table for table in rows.values_list("at_table", flat=True).distinct() if table is not None}


def rows_at(tables: Collection[int]) -> Iterator[tuple[Any, ...]]:
    """Yield every posting and transfer that was made at these tables, each after its table, in the order of ids."""
    postings = Posting.objects.filter(at_table__in=tables).order_by("pk")
    transfers = Transfer.objects.filter(posting__at_table__in=tables).order_by("pk")
    for rows, way in ((postings, "at_table"), (transfers, "posting__at_table")):
        columns = [field.attname for field in rows.model._meta.concrete_fields]
        yield from rows.values_list(way, *columns).iterator(chunk_size=2_000)


def count_of_play_at(tables: QuerySet[Any, Any]) -> int:
    """Count the postings that tables have made at these, a query of ids."""
    return Posting.objects.filter(reason__in=OF_TABLES, at_table__in=tables).count()


def keys_about(**ids_by_name: Iterable[int]) -> set[str]:
    """Return the keys of every posting that tables have made for these: `seating`, `match`, `deal` or `table`."""
    condition = Q(pk=None)
    for name, ids in ids_by_name.items():
        for number in ids:
            condition |= Q(key__startswith=f"{name}:{number}:")
    return set(Posting.objects.filter(condition, reason__in=OF_TABLES).values_list("key", flat=True))


def places_at(table: int) -> set[tuple[int | None, str, str]]:
    """Return the stakes, rule books and titles that the postings of this table name."""
    return set(Posting.objects.filter(at_table=table).values_list("at_stake", "at_book", "at_title"))


def posting_id(key: str) -> int | None:
    """Return the id of the posting under that key; None where there is none."""
    return Posting.objects.filter(key=key).values_list("pk", flat=True).first()


def _nonzero_balances(kind: AccountKind, prefix: str) -> dict[int, int]:
    balances: dict[int, int] = {}
    rows = Account.objects.filter(kind=kind).exclude(balance=0).values_list("reference", "balance")
    for reference, balance in rows.iterator(chunk_size=5000):
        # Another check of the audit finds references without a number.
        if (number := reference.removeprefix(prefix)).isdecimal():
            balances[int(number)] = balances.get(int(number), 0) + balance
    return balances


def _balance(name: AccountName, **limits: str) -> int:
    account = Account.objects.filter(kind=name.kind, reference=name.reference, **limits)
    return sum(account.values_list("balance", flat=True))
