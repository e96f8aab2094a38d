"""Finding the transfers behind a figure of the finance pages."""

from datetime import date, datetime, timedelta
from typing import Annotated, Any, TypedDict

from django.db.models import Count, Q, QuerySet, Sum

from wallet.base.report_zone import midnight
from wallet.finance.totals import BALANCES, condition_of, transfers_at
from wallet.ledger.accounts import with_reference
from wallet.ledger.fees import borne_by
from wallet.ledger.sums import DAYS, FEES
from wallet.models import Account, Transfer


def find_entries(
    *,
    since: date | None = None,
    until: date | None = None,
    currency: str = "",
    what: str = "",
    reference: str = "",
    place: str = "",
    kind: str = "",
    side: str = "",
    reason: str = "",
    player: int | None = None,
    as_of: int | None = None,
) -> QuerySet[Transfer]:
    """Return the transfers that make up a figure, newest first, to be paged by id.

    Days are those of the report zone. `what` is one of FIGURES, or one of BALANCES: then the transfers that changed
    that balance. `reference` names an account (`user:1`, `seating:1`, `match:1`, `house`), `place` a line of
    `by_place`; `player` is the id of a player whose accounts were moved, with the figure `fees` of one who bears them,
    and `as_of` the last transfer to include. With `kind`, only transfers into or out of accounts of that kind (`side`),
    not those between two of them.
    """
    entries = Transfer.objects.select_related("posting", "debit", "credit")
    if since:
        entries = entries.filter(posting__created_at__gte=midnight(since))
    if until:
        entries = entries.filter(posting__created_at__lt=midnight(until + timedelta(days=1)))
    if currency:
        entries = entries.filter(debit__currency=currency)
    if what:
        entries = entries.alias(**DAYS.groups).filter(condition_of(what))
    if reference:
        entries = _on_accounts(entries, list(accounts_of(reference).values_list("pk", flat=True)))
    if place:
        entries = entries.filter(transfers_at(place))
    if kind:
        entries = entries.filter(_SIDES[side](kind))
    if reason:
        entries = entries.filter(posting__reason=reason)
    if player is not None and what == "fees":
        entries = entries.filter(borne_by(player))
    elif player is not None:
        entries = _on_accounts(entries, Account.objects.filter(owner=player).values("pk"))
    if as_of is not None:
        entries = entries.filter(pk__lte=as_of)
    return entries.order_by("-pk")


class LedgerSide(TypedDict):
    kind: str
    reference: str
    owner: Annotated[int | None, "The player's id."]


class LedgerEntry(TypedDict):
    """One transfer; amounts are whole numbers of the currency's smallest unit."""

    id: int
    time: datetime
    key: str
    reason: str
    line: int
    currency: str
    debit: LedgerSide
    credit: LedgerSide
    amount: int
    debit_balance: int
    credit_balance: int
    seal: str


def ledger_entry(transfer: Transfer) -> LedgerEntry:
    """Return what finance is told of a transfer of `find_entries`."""
    return {
        "id": transfer.pk,
        "time": transfer.posting.created_at,
        "key": transfer.posting.key,
        "reason": transfer.posting.reason,
        "line": transfer.line,
        "currency": transfer.debit.currency,
        "debit": _ledger_side(transfer.debit),
        "credit": _ledger_side(transfer.credit),
        "amount": transfer.amount,
        "debit_balance": transfer.debit_balance,
        "credit_balance": transfer.credit_balance,
        "seal": transfer.seal,
    }


def _ledger_side(account: Account) -> LedgerSide:
    return {"kind": account.kind, "reference": account.reference, "owner": account.owner_id}


#: The condition for each `side` of a kind of account: transfers into it, out of it, or both.
_SIDES = {
    "credits": lambda kind: Q(credit__kind=kind) & ~Q(debit__kind=kind),
    "debits": lambda kind: Q(debit__kind=kind) & ~Q(credit__kind=kind),
    "": lambda kind: Q(debit__kind=kind) | Q(credit__kind=kind),
}


def count_and_sum(entries: QuerySet[Transfer], what: str = "", player: int | None = None) -> tuple[int, int]:
    """Return the number of these transfers, all of one currency, and their sum in the figure `what`.

    With a player, fees come to what they bear of them.
    """
    entries = entries.order_by()
    if what == "fees" and player is not None:
        return entries.count(), sum(total for (*_, each), (_, total) in FEES.add_up(entries).items() if each == player)
    if what in BALANCES:
        up, down = (Sum("amount", filter=BALANCES[what](side), default=0) for side in ("credit", "debit"))
        result = entries.aggregate(count=Count("pk"), up=up, down=down)
        return result["count"], result["up"] - result["down"]
    result = entries.aggregate(count=Count("pk"), sum=Sum("amount", default=0))
    return result["count"], result["sum"]


def _on_accounts(entries: QuerySet[Transfer], ids: Any) -> QuerySet[Transfer]:
    return entries.filter(Q(debit_id__in=ids) | Q(credit_id__in=ids))


def accounts_of(reference: str) -> QuerySet[Account]:
    """Return the accounts of that reference, found by the index of kinds and references."""
    return Account.objects.filter(with_reference(reference))
