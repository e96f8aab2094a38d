"""Tables, seats, matches and deals for staff with the right to see them, but no hidden card of a running deal.

Nobody adds, edits or deletes here. What operations may do to a table goes through tables/staff.py.
"""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.html import format_html
from django.utils.safestring import SafeString

from rules.books import book, with_deals
from rules.errors import RulesError, UnknownBook
from tables import staff
from tables.history import selectors as history
from tables.history.deal_page import Onlooker, deal_context
from tables.log import reading
from tables.models import Deal, LoggedEvent, Match, Pack, Seating, Table
from tables.play import frames, store
from tables.play.advance import REFUSALS
from tables.staff import STUCK_AFTER_MS, is_stuck
from wallet.backoffice.actions import ActionAdmin, AdminAction, CancelForm
from wallet.backoffice.read_only import ReadOnlyList, bad, good, staff_link, staff_table
from wallet.base.paging import UsualFilter


class ByTheBook(ReadOnlyList):
    """The admin of rows that name their rule book."""

    @admin.display(description="rule book", ordering="book")
    def rules(self, row: Table | Match | Deal) -> str:
        try:
            rules = book(row.book, row.book_version)
        except UnknownBook:
            return f"{row.book}, version {row.book_version}"
        # How many deals a match has is agreed for its table.
        agreed = (_table_of(row).terms or {}).get("deals") if rules.deals is not None else None
        return f"{with_deals(rules, agreed).title} ({row.book}, version {row.book_version})"


def _table_of(row: Table | Match | Deal) -> Table:
    match = row.match if isinstance(row, Deal) else row
    return match.table if isinstance(match, Match) else match


class ConditionFilter(UsualFilter):
    """Tables by condition; by default those with players and those that are frozen."""

    title = "condition"
    parameter_name = "condition"
    offered = {
        "": (
            "In use now",
            lambda rows: rows.filter(Q(status=Table.Status.FROZEN) | Q(status=Table.Status.OPEN, seated__gt=0)),
        ),
        "stuck": ("Stuck or frozen", lambda rows: rows.filter(is_stuck())),
        "frozen": ("Frozen", lambda rows: rows.filter(status=Table.Status.FROZEN)),
        "all": ("All, closed ones as well", lambda rows: rows),
    }


@admin.register(Table)
class TableAdmin(ActionAdmin, ByTheBook):
    """The tables, and what operations may do about them."""

    row_actions = (
        AdminAction(
            "freeze",
            "Freeze",
            "No move is taken and no clock runs until the table is resumed. Its players are told. A tournament "
            "does not wait for it: its round, and at the final all of it, ends with the chips as they stand. Pause it "
            "first where it should wait.",
            "tables.freeze_table",
            lambda table, reason, actor: staff.freeze_table(table_id=table.pk, reason=reason, actor=actor),
            grave=True,
            fits=lambda table: table.status == Table.Status.OPEN,
        ),
        AdminAction(
            "resume",
            "Resume",
            "The table goes on where it stood; whoever must act gets at least ten seconds.",
            "tables.freeze_table",
            lambda table, reason, actor: staff.resume_table(table_id=table.pk, reason=reason, actor=actor),
            fits=lambda table: table.status == Table.Status.FROZEN,
        ),
        AdminAction(
            "cancel",
            "Cancel and refund",
            "Points and blind: stacks as before the running deal. Pool and deals: every entry and rejoin is refunded "
            "in full, without fee. In a tournament: chips stand as after the last deal, and it goes on; nothing is "
            "refunded. The table is closed; this cannot be undone.",
            "tables.cancel_table",
            lambda table, reason, actor: staff.cancel_table(table_id=table.pk, reason=reason, actor=actor),
            form=CancelForm,
            grave=True,
            fits=lambda table: table.status != Table.Status.CLOSED,
        ),
    )
    refusals = (*REFUSALS, RulesError)
    list_display = ("id", "title", "who", "phase", "clock", "last_move", "condition", "currency", "opened_at")
    list_display_links = ("id", "title")
    list_filter = (ConditionFilter, "family", "currency")
    search_fields = ("pk__exact", "title__istartswith", "private_code__exact")
    search_help_text = "The number of a table, the beginning of its title, or a private code."
    fieldsets = (
        (None, {"fields": ("title", "rules", "currency", "seats", "practice_for")}),
        ("Now", {"fields": ("condition", "phase", "clock", "version", "seats_shown", "running")}),
        ("Fault", {"fields": ("fault_shown",)}),
        ("Lately", {"fields": ("last_events", "opened_at", "closed_at")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Table]:
        latest = LoggedEvent.objects.filter(table=OuterRef("pk")).order_by("-version", "-number").values("at_ms")[:1]
        packed = Pack.objects.filter(table=OuterRef("pk")).order_by("-first_version").values("last_ms")[:1]
        sitting = Seating.objects.filter(freed_at=None).order_by("seat")
        tables: QuerySet[Table] = super().get_queryset(request)
        # Snapshots are large and sealed: a list has no use for them.
        return (
            tables.defer("snapshot", "terms")
            .annotate(last_ms=Coalesce(Subquery(latest), Subquery(packed)))
            .prefetch_related(Prefetch("seatings", queryset=sitting, to_attr="sitting"))
        )

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        self.now = store.now_ms()
        return super().changelist_view(request, extra_context)

    @admin.display(description="seats")
    def who(self, table: Table) -> str:
        names = ", ".join(seating.name for seating in table.sitting)  # type: ignore[attr-defined]
        return f"{len(table.sitting)} of {table.seats}: {names}" if names else f"0 of {table.seats}"  # type: ignore[attr-defined]

    @admin.display(description="clock", ordering="deadline_ms")
    def clock(self, table: Table) -> str:
        if table.deadline_ms is None or table.status != Table.Status.OPEN:
            return "—"
        left = (table.deadline_ms - store.now_ms()) / 1000
        return f"{left:.0f} s left" if left >= 0 else f"overdue by {-left:.0f} s"

    @admin.display(description="last move")
    def last_move(self, table: Table) -> str:
        last = table.last_ms  # type: ignore[attr-defined]
        return _ago(store.now_ms() - last) if last is not None else "—"

    @admin.display(description="condition")
    def condition(self, table: Table) -> SafeString:
        if table.status == Table.Status.FROZEN:
            return bad("frozen")
        if table.status == Table.Status.CLOSED:
            return format_html("{}", "closed")
        if table.deadline_ms is not None and table.deadline_ms < store.now_ms() - STUCK_AFTER_MS:
            return bad("stuck")
        return good("runs" if table.seated else "waits for players")

    @admin.display(description="who sits there")
    def seats_shown(self, table: Table) -> SafeString:
        """Show the seats as a watcher sees them."""
        try:
            shown = frames.view(store.read_table(table.pk), None)
        except Exception:
            return bad("The state of this table cannot be read.")
        lines = [
            (
                each["seat"] + 1,
                each["name"],
                each["status"],
                each["stack"],
                each["total"],
                "yes" if each["connected"] else "no",
            )
            for each in shown["seats"]
            if each["name"]
        ]
        return staff_table(("Seat", "Name", "Status", "Stack", "Points", "Connected"), lines)

    @admin.display(description="match and deal")
    def running(self, table: Table) -> SafeString:
        if table.deal_id is None:
            return format_html("{}", "none yet")
        deal = Deal.objects.select_related("match").get(pk=table.deal_id)
        match = staff_link("tables_match_change", deal.match_id, f"match {deal.match_id}")
        return format_html("{} ({}), deal {} of it ({})", match, deal.match.status, deal.number, deal.status)

    @admin.display(description="what went wrong")
    def fault_shown(self, table: Table) -> SafeString:
        return format_html("<pre>{}</pre>", table.fault) if table.fault else format_html("{}", "nothing")

    @admin.display(description="last events")
    def last_events(self, table: Table) -> SafeString:
        """Show what kind of events came last, and when; their content may be a card that nobody has seen."""
        rows = reading.latest(table.pk, 15)
        now = store.now_ms()
        return staff_table(
            ("Version", "What", "When"), [(r.version, r.kind.replace("_", " "), _ago(now - r.at_ms)) for r in rows]
        )


@admin.register(Seating)
class SeatingAdmin(ReadOnlyList):
    list_display = ("id", "table", "number", "name", "taken_at", "left_at", "freed_at")
    search_fields = ("pk__exact", "table__pk__exact", "name__exact", "user__username__iexact")
    search_help_text = "The number of a seating or a table, or a player's name in full."
    fields = ("table", "number", "user", "name", "taken_at", "left_at", "freed_at")
    list_select_related = ("table",)

    @admin.display(description="seat", ordering="seat")
    def number(self, seating: Seating) -> int:
        """Return the seat as people count, from 1."""
        return seating.seat + 1


@admin.register(Match)
class MatchAdmin(ByTheBook):
    list_display = ("id", "table", "rules", "status", "started_at", "ended_at", "reason")
    list_filter = ("status",)
    search_fields = ("pk__exact", "table__pk__exact")
    search_help_text = "The number of a match or of a table."
    fields = ("table", "rules", "status", "started_at", "ended_at", "reason", "deals_shown")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        matches: QuerySet[Match] = super().get_queryset(request)
        return matches.select_related("table").defer("table__snapshot")

    @admin.display(description="deals")
    def deals_shown(self, match: Match) -> SafeString:
        rows = [
            (staff_link("tables_deal_change", d.pk, f"deal {d.pk}"), d.number, d.status)
            for d in match.deals.order_by("number")[:200]
        ]
        return staff_table(("Deal", "Number", "Status"), rows)


@admin.register(Deal)
class DealAdmin(ByTheBook):
    list_display = ("id", "match", "number", "rules", "status", "started_at", "ended_at")
    list_filter = ("status",)
    search_fields = ("pk__exact", "match__pk__exact")
    search_help_text = "The number of a deal or of a match."
    fields = ("match", "number", "rules", "status", "commitment", "started_at", "ended_at", "told_again")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Deal]:
        deals: QuerySet[Deal] = super().get_queryset(request)
        return deals.select_related("match__table").defer("match__table__snapshot")

    def get_urls(self) -> list[Any]:
        page = self.admin_site.admin_view(lambda request, deal_id: replay_page(self, request, deal_id))
        return [path("<int:deal_id>/replay/", page, name="tables_deal_replay"), *super().get_urls()]

    @admin.display(description="replay")
    def told_again(self, deal: Deal) -> SafeString:
        if deal.ended_at is None:
            return format_html("{}", "once the deal is over")
        return staff_link("tables_deal_replay", deal.pk, "step by step, with all hands")


def _ago(ms: int) -> str:
    seconds = max(0, ms // 1000)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


def replay_page(model_admin: Any, request: HttpRequest, deal_id: int) -> HttpResponse:
    """Show the deal step by step, with all hands at each step. 404 before it has ended."""
    if not model_admin.has_view_permission(request):
        raise PermissionDenied
    deal = history.ended_deal(deal_id)
    if deal is None:
        raise Http404("There is no finished deal of that number.")
    context = deal_context(deal, Onlooker("staff", account=request.user.pk))
    return render(request, "tables/deal.html", context, status=410 if context["gone"] else 200)
