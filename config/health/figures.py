"""Metrics as lines for staff: those of the platform, and those of this web process."""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.timesince import timesince
from prometheus_client import REGISTRY

from config.health import metrics

Line = tuple[str, str, bool]


def platform() -> list[Line]:
    """Return (name, value, whether staff should look at it) of the platform's metrics, from the database."""
    metrics.refresh()
    differences, audited = _value("rummy_audit_differences"), _value("rummy_audit_age_seconds")
    return [
        ("Players seated", _integer("rummy_players_seated"), False),
        ("Tables open", _number_of_tables("open"), False),
        ("Tables frozen", _number_of_tables("frozen"), _number_of_tables("frozen") != "0"),
        ("Tables with something overdue", _integer("rummy_overdue_tables"), False),
        ("Last posting of the ledger", _integer("rummy_ledger_postings"), False),
        ("Last audit of the books", "never" if audited < 0 else f"{_ago(audited)} ago", audited > AUDIT_DUE),
        ("Differences it found", "-" if differences < 0 else f"{differences:.0f}", differences > 0),
        ("Reports and complaints past their time", _integer("rummy_reports_overdue"),
         _value("rummy_reports_overdue") > 0),
        ("Settlement", "stands still" if _value("rummy_settlement_frozen") else "goes on",
         bool(_value("rummy_settlement_frozen"))),
    ]  # fmt: skip


def process() -> list[Line]:
    """Return the same of the metrics that this web process has counted since it started."""
    moves = _samples("rummy_moves_total")
    faults = sum(value for labels, value in moves if labels["verdict"] == "fault")
    failed = _value("rummy_pushes_total", outcome="failed")
    return [
        ("Table sockets open", _integer("rummy_sockets", kind="table"), False),
        ("Lobby sockets open", _integer("rummy_sockets", kind="lobby"), False),
        ("Moves made", f"{sum(value for labels, value in moves if labels['verdict'] == 'ack'):.0f}", False),
        ("Moves refused", f"{sum(value for labels, value in moves if labels['verdict'] not in OURS):.0f}", False),
        ("Moves that failed on our side", f"{faults:.0f}", faults > 0),
        ("Half of all moves answered within", _quantile(0.5), False),
        ("99 of 100 answered within", _quantile(0.99), False),
        ("Pushes that failed", f"{failed:.0f}", failed > 0),
    ]


#: Seconds after the last audit when the next one counts as missed.
AUDIT_DUE = 26 * 3600
#: Verdicts of moves that are not refusals.
OURS = {"ack", "fault"}


def _quantile(part: float) -> str:
    """Return the bucket of the histogram that holds this quantile of all moves."""
    buckets = sorted((float(labels["le"]), value) for labels, value in _samples("rummy_play_seconds_bucket"))
    moves = buckets[-1][1] if buckets else 0
    if not moves:
        return "-"
    bound = next(bound for bound, value in buckets if value >= part * moves)
    return "more than 10 s" if bound == float("inf") else f"{bound * 1000:.0f} ms"


def _number_of_tables(status: str) -> str:
    return f"{sum(value for labels, value in _samples('rummy_tables') if labels['status'] == status):.0f}"


def _samples(name: str) -> list[tuple[dict[str, str], float]]:
    return [
        (dict(sample.labels), sample.value)
        for family in REGISTRY.collect()
        if name.startswith(family.name)
        for sample in family.samples
        if sample.name == name
    ]


def _value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0


def _integer(name: str, **labels: Any) -> str:
    return f"{_value(name, **labels):,.0f}"


def _ago(seconds: float) -> str:
    now = timezone.now()
    return timesince(now - timedelta(seconds=seconds), now)
