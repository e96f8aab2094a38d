"""A player's statement: each change of their balance, sums of them, and beside them the results of deals at a seat."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, TypedDict

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import BigIntegerField, Case, Count, F, Q, QuerySet, Sum, When
from django.db.models.expressions import Combinable

from wallet.models import Account, AccountKind, Reason, Transfer

#: The columns of `statement_rows`; amounts in smallest units.
STATEMENT_COLUMNS = ("time_utc", "what", "reason", "reference", "currency", "amount", "balance")
#: How many deals of a seating are listed, the latest first; the sum is of all.
LISTED = 20


def statement(
    user: AbstractBaseUser, currency: str, since: datetime | None = None, until: datetime | None = None
) -> QuerySet[Transfer]:
    """Return every transfer of the user's balance in `since <= time < until`, newest first, to be paged by id.

    Each has `signed`, its change of the balance, and `balance`, the balance right after it.
    """
    account = Account.objects.filter(kind=AccountKind.PLAYER, owner_id=user.pk, currency=currency).first()
    if account is None:
        return Transfer.objects.none()
    entries = account.debits.all() | account.credits.all()
    if since is not None:
        entries = entries.filter(posting__created_at__gte=since)
    if until is not None:
        entries = entries.filter(posting__created_at__lt=until)
    return (
        entries.select_related("posting")
        .annotate(
            signed=_side(account, -F("amount"), F("amount")),
            balance=_side(account, F("debit_balance"), F("credit_balance")),
        )
        .order_by("-id")
    )


class StatementEntry(TypedDict):
    """One change of the balance; amounts are whole numbers of the currency's smallest unit."""

    time: datetime
    reason: str
    what: str
    reference: Annotated[str, "The same for ever, and for nothing else."]
    currency: str
    amount: Annotated[int, "Below zero: paid. Above: received."]
    balance: Annotated[int, "What was free right afterwards."]
    table: Annotated[int | None, "None: not made in play."]
    title: Annotated[str, "Of the table; empty where there is none."]
    stake: int | None
    match: int | None
    deal: int | None
    tournament: Annotated[int | None, "The one whose entry, refund or prize this is."]


def statement_entry(transfer: Any) -> StatementEntry:
    """Return what is told of a transfer of `statement`, read with both accounts."""
    posting = transfer.posting
    return {
        "time": posting.created_at,
        "reason": posting.reason,
        "what": posting.get_reason_display(),
        "reference": posting.key,
        "currency": transfer.debit.currency,
        "amount": transfer.signed,
        "balance": transfer.balance,
        "table": posting.at_table,
        "title": posting.at_title,
        "stake": posting.at_stake,
        "match": posting.at_match,
        "deal": posting.at_deal,
        "tournament": tournament_of(transfer),
    }


def tournament_of(entry: Transfer) -> int | None:
    """Return the tournament whose entry, refund or prize this is, None for any other. Both accounts must be loaded."""
    pot = next((each.reference for each in (entry.debit, entry.credit) if each.kind == AccountKind.POT), "")
    kind, _, number = pot.partition(":")
    return int(number) if kind == "tournament" else None


@dataclass(frozen=True, slots=True)
class StatementSum:
    """The amounts into and out of a balance for one reason, in smallest units."""

    title: str
    times: int
    credits: int
    debits: int


def statement_sums(
    user: AbstractBaseUser, currency: str, since: datetime | None, until: datetime | None
) -> list[StatementSum]:
    """Return the statement of the period added up by reason."""
    grouped = statement(user, currency, since, until).order_by().values("posting__reason")
    received = Q(credit__kind=AccountKind.PLAYER, credit__owner_id=user.pk)
    rows = grouped.annotate(
        times=Count("pk"), credits=Sum("amount", filter=received), debits=Sum("amount", filter=~received)
    ).order_by("posting__reason")
    return [
        StatementSum(str(Reason(row["posting__reason"]).label), row["times"], row["credits"] or 0, row["debits"] or 0)
        for row in rows
    ]


def statement_rows(
    user: AbstractBaseUser, currency: str, since: datetime | None, until: datetime | None
) -> Iterator[Any]:
    """Yield the entries of the period, the oldest first, read from the database as they are needed."""
    for entry in statement(user, currency, since, until).order_by("id").iterator(chunk_size=2000):
        posting: Any = entry.posting
        label = posting.get_reason_display()
        # Annotated by `statement`.
        amount, balance = entry.signed, entry.balance  # type: ignore[attr-defined]
        yield posting.created_at, label, posting.reason, posting.key, currency, amount, balance


@dataclass(slots=True)
class SeatResult:
    """The change of a seating's stack by each deal's id, in smallest units: the winner's is net of the fee."""

    running: bool
    changes: dict[int, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.changes.values())

    @property
    def latest(self) -> list[tuple[int, int]]:
        """The LISTED last deals with their changes, the latest first."""
        return sorted(self.changes.items(), reverse=True)[:LISTED]


def stack_of_entry(entry: Transfer) -> Account | None:
    """Return the stack whose deals are shown beside this entry of a statement; None where there is none.

    They are shown where the player left the table, and until then where they took the seat. The posting and both
    accounts must be loaded.
    """
    reason = entry.posting.reason
    if reason == Reason.CASH_OUT and entry.debit.kind == AccountKind.STACK:
        return entry.debit
    if reason == Reason.BUY_IN and entry.credit.kind == AccountKind.STACK and entry.credit.balance > 0:
        return entry.credit
    return None


def seat_results_of(entries: Collection[Transfer]) -> dict[int, SeatResult]:
    """Return the results of seatings that are shown beside these entries of a statement, by the id of the entry."""
    stacks = {entry.pk: stack for entry in entries if (stack := stack_of_entry(entry)) is not None}
    results = {stack.pk: SeatResult(running=stack.balance > 0) for stack in stacks.values()}
    for sign, side in ((1, "credit"), (-1, "debit")):
        settled = {"posting__reason": Reason.DEAL, "posting__at_deal__isnull": False}
        transfers = Transfer.objects.filter(**{f"{side}_id__in": list(results)}, **settled)
        rows = transfers.values_list(f"{side}_id", "posting__at_deal").annotate(Sum("amount")).order_by()
        for stack, deal, amount in rows:
            changes = results[stack].changes
            changes[deal] = changes.get(deal, 0) + sign * amount
    return {entry: results[stack.pk] for entry, stack in stacks.items() if results[stack.pk].changes}


def _side(account: Account, paid: Combinable, received: Combinable) -> Case:
    return Case(When(debit=account, then=paid), default=received, output_field=BigIntegerField())
