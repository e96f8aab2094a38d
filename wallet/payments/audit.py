"""Checks of deposits and withdrawals against the ledger, which `audit_ledger` runs beside its own."""

from collections.abc import Iterator
from typing import Any

from cryptography.fernet import InvalidToken
from django.db.models import QuerySet, Sum

from wallet.audit_log.models import AuditEntry
from wallet.base.findings import Differences, Finding, register
from wallet.models import Account, AccountKind, Reason, Transfer
from wallet.payments.models import Deposit, GatewayEvent, SuspenseItem, Withdrawal
from wallet.payments.providers import vault

#: The statuses of withdrawals that were paid out; a returned one has come back through suspense.
PAID = ("paid", "came_back")


@register
def deposits_are_posted_once() -> Differences:
    """Find finished deposits without their one posting, other deposits with one, and postings without a deposit."""
    booked = _booked(Reason.DEPOSIT)
    for deposit in _rows(Deposit):
        due = _due(deposit, f"gateway {deposit.gateway}", f"player user:{deposit.player_id}")
        is_done = deposit.status == Deposit.Status.DONE
        yield from _compare("deposit", deposit, f"deposit:{deposit.pk}", due if is_done else None, booked)
    yield from _nobodys("deposit", booked)


@register
def withdrawals_are_held_and_end_once() -> Differences:
    """Find withdrawals that were not put on hold, or whose postings are not those of their status."""
    booked = {**_booked(Reason.WITHDRAW), **_booked(Reason.PAID_OUT), **_booked(Reason.RETURNED)}
    for row in _rows(Withdrawal):
        balance, on_hold, gateway = (
            f"player user:{row.player_id}",
            f"withdrawal withdrawal:{row.pk}",
            f"gateway {row.gateway}",
        )
        paid, back = row.status in PAID, row.status in ("refused", "cancelled")
        key = f"withdrawal:{row.pk}"
        yield from _compare("withdrawal", row, f"{key}:hold", _due(row, balance, on_hold), booked)
        yield from _compare("withdrawal", row, f"{key}:paid", _due(row, on_hold, gateway) if paid else None, booked)
        yield from _compare("withdrawal", row, f"{key}:returned", _due(row, on_hold, balance) if back else None, booked)
    yield from _nobodys("withdrawal", booked)


@register
def what_is_on_hold_is_open() -> Differences:
    """Find accounts of withdrawals whose balance is not the amount of their open withdrawal."""
    opened = Withdrawal.objects.filter(status__in=Withdrawal.OPEN).values_list("pk", "amount")
    due = {f"withdrawal:{pk}": amount for pk, amount in opened}
    balances = dict(
        Account.objects.filter(kind=AccountKind.WITHDRAWAL).exclude(balance=0).values_list("reference", "balance")
    )
    yield from _unlike("on_hold", due, balances)


@register
def what_arrived_is_in_suspense_or_went_back() -> Differences:
    """Find payments in suspense whose postings are not those of their status, and accounts with another balance."""
    booked = {**_booked(Reason.SET_ASIDE), **_booked(Reason.SENT_BACK), **_booked(Reason.CAME_BACK)}
    waits = {}
    for row in _rows(SuspenseItem):
        here, gateway = f"suspense suspense:{row.pk}", f"gateway {row.gateway}"
        key = f"suspense:{row.gateway}:{row.arrival}"
        back = _due(row, here, gateway) if row.status == "sent_back" else None
        to_player = _due(row, here, f"player user:{row.player_id}") if row.status == "came_back" else None
        yield from _compare("suspense", row, key, _due(row, gateway, here), booked)
        yield from _compare("suspense", row, f"{key}:back", back, booked)
        if row.withdrawal_id is not None:
            yield from _compare("suspense", row, f"withdrawal:{row.withdrawal_id}:came_back", to_player, booked)
        if row.status in SuspenseItem.OPEN:
            waits[f"suspense:{row.pk}"] = row.amount
    yield from _nobodys("suspense", booked)
    balances = Account.objects.filter(kind=AccountKind.SUSPENSE).exclude(balance=0).values_list("reference", "balance")
    yield from _unlike("suspense", waits, dict(balances))


@register
def every_payment_has_an_end() -> Differences:
    """Find payments reported by a gateway that are in neither a balance nor suspense, and returns without arrival.

    The check begins with the first event that was put into suspense: earlier payments stayed at the gateway. A return
    is a withdrawal with the status `came_back`; the payment in suspense through which it arrived must exist, and the
    other way round.
    """
    first = SuspenseItem.objects.exclude(event=None).order_by("event_id").values_list("event_id", flat=True).first()
    without_end = GatewayEvent.objects.filter(pk__gte=first or 0, outcome__in=SuspenseItem.Why.values, suspended=None)
    for event in without_end.order_by("pk").iterator() if first else ():
        yield Finding("suspense", f"event {event.pk}", f"{event.gateway} {event.event} was paid, and is nowhere")
    unreturned = Withdrawal.objects.filter(status="came_back").exclude(came_back__status="came_back")
    for row in unreturned.order_by("pk").iterator():
        yield Finding("suspense", f"withdrawal {row.pk}", "counts as come back, and nothing has arrived")
    returned = SuspenseItem.objects.filter(status="came_back").exclude(withdrawal__status="came_back")
    for item in returned.order_by("pk").iterator():
        yield Finding("suspense", f"suspenseitem {item.pk}", "is given back, and its withdrawal has not come back")


@register
def the_trail_knows_who_looked_after_it() -> Differences:
    """Find rows that differ from the sealed trail in who confirmed, who decided, or the amount and reference seen."""
    for model in (Deposit, Withdrawal, SuspenseItem):
        name = model._meta.model_name
        entries: dict[tuple[str, str], AuditEntry] = {}
        for entry in AuditEntry.objects.filter(kind=model._meta.label_lower).order_by("pk"):
            entries[entry.object_id, entry.what.removeprefix(f"{name}.")] = entry
        for row in _rows(model):
            for message in _contradictions(row, entries):
                yield Finding("desk", f"{name} {row.pk}", message)


def _contradictions(row: Any, entries: dict[tuple[str, str], AuditEntry]) -> Iterator[str]:
    key = str(row.pk)
    confirmed = entries.get((key, "confirm")) or entries.get((key, "note"))
    if row.confirmed_by_id is not None:
        facts = (confirmed.after or {}) if confirmed else {}
        confirmed_facts = (facts.get("bank_reference", ""), facts.get("amount"), facts.get("currency"))
        if confirmed is None or confirmed.user_id != row.confirmed_by_id:
            yield "was confirmed by another, says the trail"
        elif confirmed_facts != (row.bank_reference, row.amount, row.currency):
            yield "was confirmed as something else, says the trail"
    if row.decided_by_id is not None:
        decided = entries.get((key, "approve")) or entries.get((key, "refuse"))
        if decided is None or decided.user_id != row.decided_by_id:
            yield "was decided by another, says the trail"


@register
def where_it_goes_is_where_it_was_to_go() -> Differences:
    """Find withdrawals whose destination was not sealed for them, or ends in other digits than `ending`."""
    for row in _rows(Withdrawal):
        try:
            sealed = vault.unseal(row)["account"][-4:]
        except (InvalidToken, KeyError, ValueError):
            sealed = ""
        if sealed != row.ending:
            yield Finding("desk", f"withdrawal {row.pk}", "goes elsewhere than was sealed for it")


@register
def gateways_hold_what_came_and_went() -> Differences:
    """Find gateways whose balance differs from payments out less payments in, by deposits, withdrawals and suspense."""
    due: dict[tuple[str, str], int] = {}
    ways: tuple[tuple[Any, tuple[str, ...], int], ...] = (
        (Deposit, ("done",), -1), (Withdrawal, PAID, 1),
        (SuspenseItem, tuple(SuspenseItem.Status.values), -1), (SuspenseItem, ("sent_back",), 1),
    )  # fmt: skip
    for model, statuses, sign in ways:
        ended = model._default_manager.filter(status__in=statuses).order_by()
        for name, code, total in ended.values_list("gateway", "currency").annotate(Sum("amount")):
            due[name, code] = due.get((name, code), 0) + sign * total
    accounts = Account.objects.filter(kind=AccountKind.GATEWAY).values_list("reference", "currency", "balance")
    balances = {(name, code): balance for name, code, balance in accounts}
    for each in sorted(due.keys() | balances.keys()):
        if due.get(each, 0) != balances.get(each, 0):
            message = f"holds {balances.get(each, 0)}, deposits and withdrawals make {due.get(each, 0)}"
            yield Finding("gateway", " ".join(each), message)


@register
def nobody_decides_alone() -> Differences:
    """Find decisions that one member of staff made alone, or about their own money."""
    ended: tuple[tuple[Any, tuple[str, ...]], ...] = (
        (Deposit, ("done",)), (Withdrawal, PAID), (SuspenseItem, ("sent_back", "came_back")),
    )  # fmt: skip
    for model, statuses in ended:
        for row in model._default_manager.filter(status__in=statuses).order_by("pk").iterator():
            people = [row.confirmed_by_id, row.decided_by_id]
            alone = None in people or people[0] == people[1] or getattr(row, "asked_by_id", None) == people[1]
            if row.player_id in people or (alone and row.gateway != "test") or (alone and model is not Deposit):
                yield Finding("two_people", f"{model._meta.model_name} {row.pk}", "was not decided by two people")


def _rows(model: Any) -> Iterator[Any]:
    rows: QuerySet[Any] = model._default_manager.order_by("pk")
    return rows.iterator()


def _booked(reason: Reason) -> dict[str, list[tuple[str, str, str, int]]]:
    """Return every posting for that reason by key, as (debit, credit, currency, amount) of each line."""
    lines: dict[str, list[tuple[str, str, str, int]]] = {}
    transfers = Transfer.objects.filter(posting__reason=reason).select_related("posting", "debit", "credit")
    for each in transfers.order_by("pk").iterator():
        sides = (f"{each.debit.kind} {each.debit.reference}", f"{each.credit.kind} {each.credit.reference}")
        lines.setdefault(each.posting.key, []).append((*sides, each.debit.currency, each.amount))
    return lines


def _due(row: Deposit | Withdrawal | SuspenseItem, debit: str, credit: str) -> tuple[str, str, str, int]:
    return debit, credit, row.currency, row.amount


def _compare(
    check: str, row: Any, key: str, due: tuple[str, str, str, int] | None, booked: dict[str, Any]
) -> Differences:
    """Remove the posting from `booked`; yield a finding where it is not exactly `due`."""
    lines = booked.pop(key, [])
    if lines != ([due] if due else []):
        yield Finding(check, f"{check} {row.pk}", f"is {row.status}, and {key} is {lines or 'not posted'}")


def _unlike(check: str, due: dict[str, int], balances: dict[str, int]) -> Differences:
    """Yield a finding for each account whose balance differs from `due`."""
    for reference in sorted(due.keys() | balances.keys()):
        if due.get(reference, 0) != balances.get(reference, 0):
            yield Finding(
                check, reference, f"holds {balances.get(reference, 0)}, what waits is {due.get(reference, 0)}"
            )


def _nobodys(check: str, booked: dict[str, Any]) -> Differences:
    for key in booked:
        yield Finding(check, key, f"is posted, and there is no such {check}")
