"""The staff's page of the platform's health: the report and the figures, read-only."""

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template.response import TemplateResponse
from django.urls import path
from django.utils import timezone
from django.utils.timesince import timesince
from prometheus_client import REGISTRY

from config.health import metrics, report
from config.health.models import Heartbeat
from wallet.backoffice.read_only import ReadOnly

StatusLine = tuple[str, str, bool]
#: Seconds after the last audit when the next one counts as missed.
AUDIT_DUE = 26 * 3600
#: Verdicts of moves that are not refusals.
OURS = {"ack", "fault"}


def of_the_platform() -> list[StatusLine]:
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


def of_this_process() -> list[StatusLine]:
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


@admin.register(Heartbeat)
class HealthAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    def get_urls(self) -> list[Any]:
        """Return the address of the page, which is whole, or with `?part=1` only the part that refreshes itself."""
        return [path("", self.admin_site.admin_view(self.page), name="health_heartbeat_changelist")]

    def page(self, request: HttpRequest) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        parts = report.report()
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Health",
            "parts": [(part, None if part.age_ms is None else f"{part.age_ms / 1000:.1f} s") for part in parts],
            "ok": all(part.ok for part in parts),
            "groups": self._groups(parts),
        }
        template = "staff/_health.html" if request.GET.get("part") else "staff/health.html"
        response = TemplateResponse(request, template, context)
        response["Cache-Control"] = "no-store"
        return response

    def _groups(self, parts: list[report.Part]) -> list[tuple[str, list[StatusLine]]]:
        if not parts[0].ok:
            return []
        return [("The platform", of_the_platform()), ("This web process, since it started", of_this_process())]
