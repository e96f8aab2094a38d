"""Every way in which the books could be wrong, one check each.

They read only, and trust neither each other nor the triggers and constraints of the database.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import CharField, Count, Exists, F, OuterRef, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast, Coalesce, Concat
from django.utils import timezone

from wallet.base.findings import ALTERED, DUPLICATED, MISSING, Differences, Fault, Finding, excuses, missing_triggers
from wallet.base.money import COUNTERS, CURRENCIES, LARGEST_AMOUNT, TOURNAMENT
from wallet.base.report_zone import local_day
from wallet.ledger.ledger import ROUTES
from wallet.ledger.triggers import TRIGGERS
from wallet.models import HOUSE, MAY_BE_NEGATIVE, Account, AccountKind, Posting, Reason, Transfer

#: How far the clocks of two servers may differ.
CLOCK_TOLERANCE = timedelta(hours=1)
#: How many differences of an audit are stored by name; all are counted.
MOST_STORED = 200


def negative_balances() -> Differences:
    wrong = Account.objects.filter(balance__lt=0).exclude(kind__in=MAY_BE_NEGATIVE)
    return _differences("negative", wrong, "a balance of zero or more", "balance")


def totals() -> Differences:
    sums = Account.objects.order_by("currency").values_list("currency").annotate(Sum("balance"))
    for currency, total in sums:
        if total != 0:
            yield Finding("total", currency, ALTERED, "all balances together to make 0", f"{total}")


def empty_postings() -> Differences:
    for posting in Posting.objects.filter(transfers__isnull=True).order_by("pk").iterator():
        yield difference("empty_posting", posting, "its transfers", "none", MISSING)


def amounts() -> Differences:
    wrong = Transfer.objects.exclude(amount__gte=1, amount__lte=LARGEST_AMOUNT)
    return _differences("amount", wrong, f"an amount from 1 to {LARGEST_AMOUNT}", "amount")


def sides() -> Differences:
    wrong = Transfer.objects.filter(debit=F("credit"))
    return _differences("sides", wrong, "two accounts", "debit_id", "credit_id")


def currencies() -> Differences:
    mixed = Transfer.objects.exclude(debit__currency=F("credit__currency"))
    yield from _differences("currency", mixed, "one currency", "debit__currency", "credit__currency")
    unknown = Account.objects.exclude(currency__in=[*CURRENCIES, *COUNTERS])
    yield from _differences("currency", unknown, f"one of {', '.join(CURRENCIES)}", "currency")
    mixed_postings = Posting.objects.annotate(count=Count("transfers__debit__currency", distinct=True)).filter(
        count__gt=1
    )
    yield from _differences("currency", mixed_postings, "transfers of one currency", "count")


def routes() -> Differences:
    allowed = (
        Q(posting__reason=reason, debit__kind=debit, credit__kind=credit)
        for reason, pairs in ROUTES.items()
        for debit, credit in pairs
    )
    wrong = Transfer.objects.exclude(reduce(or_, allowed))
    columns = ("posting__reason", "debit__kind", "credit__kind")
    return _differences("route", wrong, "a reason that moves chips between such accounts", *columns)


def references() -> Differences:
    users = get_user_model()._default_manager.filter(pk=OuterRef("owner_id"))
    orphans = Account.objects.filter(~Exists(users), owner__isnull=False)
    yield from _differences("reference", orphans, "its owner to be there", "owner_id")
    for field, model in (("posting", Posting), ("debit", Account), ("credit", Account)):
        referenced = model._default_manager.filter(pk=OuterRef(f"{field}_id"))
        orphaned = Transfer.objects.filter(~Exists(referenced))
        yield from _differences("reference", orphaned, f"its {field} to be there", f"{field}_id")


def keys() -> Differences:
    for posting in _repeated(Posting.objects.all(), "key"):
        yield Finding("key", posting["key"], DUPLICATED, "one posting under the key", f"{posting['rows']}")
    for account in _repeated(Account.objects.all(), "kind", "reference", "currency"):
        yield Finding("key", _account_name(account), DUPLICATED, "one account", f"{account['rows']}")
    for account in _repeated(
        Account.objects.filter(kind__in=[AccountKind.STACK, AccountKind.POT]), "kind", "reference"
    ):
        yield Finding("key", _account_name(account), DUPLICATED, "one account in one currency", f"{account['rows']}")


def identities() -> Differences:
    right = (
        Q(kind=AccountKind.PLAYER, reference=_owned("user:", "owner_id"))
        | Q(kind=AccountKind.STACK, reference__regex=r"^seating:\d+$")
        | Q(kind=AccountKind.POT, reference__regex=r"^(match|tournament):\d+$", owner__isnull=True)
        | Q(kind=AccountKind.ISSUANCE, reference__regex=r"^tournament:\d+$", currency=TOURNAMENT)
        | Q(kind__in=HOUSE, reference__regex=r"^house(:\d+)?$", owner__isnull=True)
    )
    wrong = Account.objects.exclude(right)
    return _differences("identity", wrong, "kind, reference and owner of one account", "kind", "reference", "owner_id")


def owners() -> Differences:
    kinds = [AccountKind.PLAYER, AccountKind.PRACTICE]
    own = AccountKind.STACK
    between = Q(debit__kind=own, credit__kind__in=kinds) | Q(debit__kind__in=kinds, credit__kind=own)
    moved = Transfer.objects.annotate(payer=Coalesce("debit__owner_id", 0), payee=Coalesce("credit__owner_id", 0))
    wrong = moved.filter(between).exclude(payer=F("payee"))
    return _differences("owner", wrong, "one owner of balance and stack", "payer", "payee")


def payouts() -> Differences:
    out = Q(debits__posting__reason__in=[Reason.PRIZE, Reason.REFUND])
    pots = Account.objects.filter(kind=AccountKind.POT).annotate(
        payouts=Count("debits__posting", filter=out, distinct=True)
    )
    yield from _differences("payout", pots.filter(payouts__gt=1), "one payout", "payouts", fault=DUPLICATED)
    yield from _differences("pot", pots.filter(payouts__gt=0).exclude(balance=0), "0 after the payout", "balance")
    paid_in = Transfer.objects.filter(credit=OuterRef("debit"), debit__owner=OuterRef("credit__owner"))
    prizes = Transfer.objects.filter(debit__kind=AccountKind.POT, credit__kind=AccountKind.PLAYER)
    unpaid = prizes.filter(~Exists(paid_in))
    yield from _differences(
        "payout", unpaid, "an entry paid by who is paid", "credit__owner_id", "amount", fault=MISSING
    )


def deals() -> Differences:
    winners = Count("transfers__credit", filter=Q(transfers__credit__kind=AccountKind.STACK), distinct=True)
    settled = Posting.objects.filter(reason=Reason.DEAL).annotate(winners=winners)
    yield from _differences("deal", settled.exclude(winners=1), "one winner", "winners")
    won = Transfer.objects.filter(posting=OuterRef("posting"), credit=OuterRef("debit"))
    fees = Transfer.objects.filter(posting__reason=Reason.DEAL, credit__kind=AccountKind.FEES)
    yield from _differences("deal", fees.filter(~Exists(won)), "a fee paid by the winner", "debit__reference", "amount")


def sign_ups() -> Differences:
    grants = Transfer.objects.filter(posting__reason=Reason.SIGN_UP)
    wrong = grants.exclude(posting__key=_owned("signup:", "credit__owner_id"))
    return _differences("sign_up", wrong, "the key of its player", "posting__key", "credit__owner_id")


def refills() -> Differences:
    """Find refills whose key does not name their player and the day of the posting."""
    grants = Transfer.objects.filter(posting__reason=Reason.REFILL).select_related("posting", "credit")
    for grant in grants.order_by("pk").iterator():
        made_at, owner = grant.posting.created_at, grant.credit.owner_id
        days = {local_day(moment) for moment in (made_at - timedelta(minutes=1), made_at)}
        if grant.posting.key not in {f"refill:{owner}:{day}" for day in days}:
            due = f"the key refill:{owner}:{local_day(made_at)}"
            yield difference("refill", grant, due, grant.posting.key)


def times() -> Differences:
    latest = None
    now = timezone.now()
    rows = Posting.objects.order_by("pk").values_list("pk", "key", "created_at").iterator(chunk_size=5000)
    for pk, key, made_at in rows:
        if made_at > now + CLOCK_TOLERANCE and not excuses(made_at, now):
            due = "a date that is not in the future"
        elif latest is not None and _dated_back(latest, made_at):
            due = f"a date that is not before {latest:%Y-%m-%d %H:%M}, that of its predecessor"
        else:
            latest, due = made_at, ""
        if due:
            yield Finding("time", f"posting {pk} ({key})", ALTERED, due, f"{made_at:%Y-%m-%d %H:%M:%S.%f}")


def _dated_back(latest: datetime, moment: datetime) -> bool:
    """Return whether `moment` is too early for a row that follows one dated `latest`."""
    return moment < latest - CLOCK_TOLERANCE and not excuses(latest, moment)


def ledger_triggers() -> Differences:
    return missing_triggers(TRIGGERS)


def _owned(prefix: str, owner: str) -> Concat:
    """Return `prefix` and the owner's id; the prefix alone, which matches nothing, without an owner."""
    return Concat(Value(prefix), Coalesce(Cast(owner, CharField()), Value("")))


def _differences(check: str, wrong: QuerySet[Any], expected: str, *columns: str, fault: Fault = ALTERED) -> Differences:
    """Yield each of the wrong rows, found with what it holds in these columns."""
    found = {pk: " ".join(map(str, values)) for pk, *values in wrong.values_list("pk", *columns)}
    # Hardly ever is there any, and a second look takes as long as the first.
    for row in wrong.order_by("pk").iterator() if found else ():
        yield difference(check, row, expected, found[row.pk], fault)


def _repeated(rows: QuerySet[Any], *fields: str) -> Iterator[dict[str, Any]]:
    """Yield the values that more than one row has, with the number of those rows."""
    yield from rows.order_by(*fields).values(*fields).annotate(rows=Count("pk")).filter(rows__gt=1)


def difference(
    check: str, row: Account | Posting | Transfer, expected: str, found: str, fault: Fault = ALTERED
) -> Finding:
    """Return the finding of the check about the row."""
    return Finding(check, f"{row._meta.model_name} {row.pk}{_name(row)}", fault, expected, found)


def _account_name(account: dict[str, Any]) -> str:
    return f"{account['kind']} {account['reference']}"


def _name(row: Account | Posting | Transfer) -> str:
    return f" of posting {row.posting_id}" if isinstance(row, Transfer) else f" ({row})"


ALL: tuple[Callable[[], Differences], ...] = (
    negative_balances,
    totals,
    empty_postings,
    amounts,
    sides,
    currencies,
    routes,
    references,
    keys,
    identities,
    owners,
    payouts,
    deals,
    sign_ups,
    refills,
    times,
    ledger_triggers,
)
