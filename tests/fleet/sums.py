"""Sums of a ledger, added up transfer by transfer in plain Python, and their differences from the reports.

The sums use no code of the reports, neither their conditions nor their way of finding the place of a transfer.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from tables.models import Match, Seating
from wallet.base.report_zone import zone
from wallet.finance.entries import count_and_sum, find_entries
from wallet.finance.periods import Period
from wallet.finance.totals import BALANCES, FIGURES, GROUPS, Totals, by_day, by_place, fees_by_player
from wallet.models import Transfer

#: Under which name a reason counts, between whichever accounts; the rest depends on them.
_BY_REASON = {
    "sign_up": "granted", "refill": "granted", "forfeit": "forfeited",
    "buy_in": "bought_in", "add_chips": "bought_in", "cash_out": "cashed_out", "entry": "entries",
    "rejoin": "entries", "refund": "refunds",
}  # fmt: skip
_AT_TABLES = ("stack", "pot")
Sums = Counter[str]


@dataclass(slots=True)
class LedgerSums:
    """The sums of one currency by day, by line of each grouping and by player, and the balances at each day's end."""

    days: dict[date, Sums] = field(default_factory=lambda: defaultdict(Counter))
    places: dict[str, Sums] = field(default_factory=lambda: defaultdict(Counter))
    players: dict[int | None, Sums] = field(default_factory=lambda: defaultdict(Counter))
    closing: dict[date, Sums] = field(default_factory=dict)
    whole: Sums = field(default_factory=Counter)


def add_up(currency: str) -> LedgerSums:
    """Add up every transfer of the currency in the order of ids; a day ends as in the report zone."""
    ledger, balances, places = LedgerSums(), Counter[str](), _places()
    entries: dict[int, list[tuple[int | None, int]]] = defaultdict(list)
    every = Transfer.objects.select_related("posting", "debit", "credit").filter(debit__currency=currency)
    for each in every.order_by("pk").iterator():
        day = each.posting.created_at.astimezone(zone()).date()
        for name in _figures_of(each):
            ledger.days[day][name] += each.amount
            ledger.whole[name] += each.amount
            for place in _lines_of(each, places):
                ledger.places[place][name] += each.amount
            if name == "fees":
                for player, part in _bearers(each, entries[each.debit_id]).items():
                    ledger.players[player][name] += part
        if each.credit.kind == "pot":
            entries[each.credit_id].append((each.debit.owner_id, each.amount))
        ledger.days[day]["transfers"] += 1
        ledger.whole["transfers"] += 1
        for place in _lines_of(each, places):
            ledger.places[place]["transfers"] += 1
        for account, sign in ((each.debit, -1), (each.credit, 1)):
            for name in _totals_with(account):
                balances[name] += sign * each.amount
        ledger.closing[day] = balances.copy()
    return ledger


def _bearers(each: Transfer, entries: list[tuple[int | None, int]]) -> Counter[int | None]:
    """Return what each player bears of the fee: each unit left over falls on one of the entries paid first."""
    if each.debit.kind == "stack":
        return Counter({each.debit.owner_id: each.amount})
    borne = Counter[int | None]()
    for player, amount in entries:
        borne[player] += each.amount * amount // sum(paid for _, paid in entries)
    for player, _ in entries[: each.amount - borne.total()]:
        borne[player] += 1
    return borne


def _figures_of(each: Transfer) -> set[str]:
    reason, debit, credit = str(each.posting.reason), each.debit.kind, each.credit.kind
    names = {_BY_REASON[reason]} if reason in _BY_REASON else set()
    if reason == "adjust":
        return {"adjusted_up"} if credit == "player" else {"adjusted_down"} if debit == "player" else set()
    if credit == "fees":
        return names | {"fees"}
    return names | {"deal": {"won"}, "prize": {"prizes"}}.get(reason, set())


def _totals_with(account: Any) -> set[str]:
    """Return the totals that contain this account's balance: what lies at tables, what is owed to people."""
    at_tables = account.kind in _AT_TABLES
    owed = account.kind in ("player", "pot") or (account.kind == "stack" and account.owner_id)
    return {name for name, part in (("in_play", at_tables), ("liabilities", owed)) if part}


def _places() -> dict[str, tuple[str, str, str]]:
    """Return the report lines that each seating and each match counts for, in every grouping."""
    columns = ("pk", "table", "table__stake_id", "table__book")
    return {
        f"{name}:{pk}": (f"table:{table}", f"stake:{stake or 0}", f"book:{book}")
        for name, model in (("seating", Seating), ("match", Match))
        for pk, table, stake, book in model._default_manager.values_list(*columns)
    }


def _lines_of(each: Transfer, places: dict[str, tuple[str, str, str]]) -> tuple[str, ...]:
    for account in (each.debit, each.credit):
        if account.kind in _AT_TABLES:
            return places[account.reference]
    return ()


def differences(period: Period, currency: str, ledger: LedgerSums) -> list[str]:
    """Return every figure of the period's reports that differs from the sums; all transfers lie in the period."""
    return [
        *_of_days(period, currency, ledger),
        *_of_places(period, currency, ledger),
        *_of_players(period, currency, ledger),
        *_of_entries(period, currency, ledger),
    ]


def _of_days(period: Period, currency: str, ledger: LedgerSums) -> list[str]:
    reported, wrong, balances = by_day(period, currency), [], Counter[str]()
    if len(reported) != (period.last - period.first).days + 1:
        wrong.append(f"{len(reported)} days are told")
    for day, totals in sorted(reported.items()):
        wrong += _mismatches(f"{day}", totals, ledger.days.get(day, Counter()))
        balances = ledger.closing.get(day, balances)
        wrong += [
            f"{day}: {name} {getattr(totals, name)}, {balances[name]} in the ledger"
            for name in BALANCES
            if getattr(totals, name) != balances[name]
        ]
    return wrong


def _of_places(period: Period, currency: str, ledger: LedgerSums) -> list[str]:
    wrong = []
    for group in GROUPS:
        reported = {line.reference: line.totals for line in by_place(period, currency, group)}
        due = {name: sums for name, sums in ledger.places.items() if name.startswith(f"{group}:")}
        wrong += [f"{name} is told or not told" for name in reported.keys() ^ due.keys()]
        for name in reported.keys() & due.keys():
            wrong += _mismatches(name, reported[name], due[name])
    return wrong


def _of_players(period: Period, currency: str, ledger: LedgerSums) -> list[str]:
    reported = {each.player: each.fees for each in fees_by_player(period, currency)}
    due = {player: sums["fees"] for player, sums in ledger.players.items()}
    return [
        f"fees of player {player}: {reported.get(player)}, {due.get(player)} in the ledger"
        for player in reported.keys() | due.keys()
        if reported.get(player) != due.get(player)
    ]


def _of_entries(period: Period, currency: str, ledger: LedgerSums) -> list[str]:
    """Compare the entries behind the figures of the whole period, of every stake and book, and of every player."""
    days = {"since": period.first, "until": period.last, "currency": currency}
    queries: list[tuple[dict[str, Any], str, int]] = [({}, name, ledger.whole[name]) for name in FIGURES]
    queries += [({}, name, _last(ledger)[name]) for name in BALANCES]
    queries += [
        ({"place": place}, name, sums[name])
        for place, sums in ledger.places.items()
        if not place.startswith("table:")
        for name in FIGURES
    ]
    queries += [({"player": player}, "fees", sums["fees"]) for player, sums in ledger.players.items() if player]
    wrong = []
    for query, name, due in queries:
        _, reported = count_and_sum(find_entries(**days, **query, what=name), name, query.get("player"))
        if reported != due:
            wrong.append(f"entries of {name} {query or ''}: {reported}, {due} in the ledger")
    return wrong


def _last(ledger: LedgerSums) -> Sums:
    return ledger.closing[max(ledger.closing)] if ledger.closing else Counter()


def _mismatches(what: str, totals: Totals, due: Sums) -> list[str]:
    return [
        f"{what}: {name} {getattr(totals, name)}, {due[name]} in the ledger"
        for name in ("transfers", *FIGURES)
        if getattr(totals, name) != due[name]
    ]


def month_of(first: date, days: int) -> Period:
    """Return the period of these days and the one after them."""
    return Period(first=first, last=first + timedelta(days=days))
