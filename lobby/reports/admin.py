"""The desk: the queue of reports and complaints."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lobby.reports import services
from lobby.reports.models import Report
from wallet.backoffice.actions import ActionAdmin, AdminAction, ReasonForm
from wallet.backoffice.read_only import ReadOnly, staff_link
from wallet.base.errors import Refusal
from wallet.base.report_zone import format_moment_with_utc
from wallet.base.texts import VisibleText


class AnswerForm(ReasonForm):
    """An answer, which may be longer than a reason."""

    reason = VisibleText(
        min_length=3, max_length=2_000, widget=forms.Textarea(attrs={"rows": 8, "cols": 70, "class": "vLargeTextField"})
    )


class ReportKind(admin.SimpleListFilter):
    """Reports of deals, or complaints."""

    title, parameter_name = "kind", "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("deals", "Reports of deals"), ("complaints", "Complaints")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        return queryset.filter(deal__isnull=self.value() == "complaints") if self.value() else queryset


class PastTime(admin.SimpleListFilter):
    """What is past its time."""

    title, parameter_name = "times", "times"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("overdue", "Past its time")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        return queryset.filter(Report.overdue()) if self.value() == "overdue" else queryset


@admin.register(Report)
class ReportAdmin(ReadOnly, ActionAdmin):
    """The queue: open ones first, the oldest at the top. To a report its deal is attached, with every hand and move."""

    row_actions = (
        AdminAction(
            "look",
            "Take up the report",
            "The reporter sees that somebody is at it; the first of the two times stops.",
            "lobby.handle_report",
            services.look_at,
            asks="Note",
            fits=lambda report: report.state == Report.State.OPEN,
        ),
        AdminAction(
            "answer",
            "Answer the player",
            "The reporter reads your answer on the site, and by e-mail if they gave an address. The report is closed.",
            "lobby.handle_report",
            services.answer_report,
            asks="Answer, which the player reads",
            form=AnswerForm,
            fits=lambda report: report.state != Report.State.CLOSED,
        ),
        AdminAction(
            "close",
            "Close the report without an answer",
            "The note stays with the report. The reporter sees that it is closed, not the note.",
            "lobby.handle_report",
            services.close_report,
            asks="What was found",
            fits=lambda report: report.state != Report.State.CLOSED and report.deal_id is not None,
        ),
    )
    refusals = (Refusal,)
    list_display = ("id", "at", "state", "due", "about", "replay", "whom", "reported_by", "handled_by")
    list_filter = ("state", PastTime, ReportKind, "about")
    search_fields = ("pk__exact", "deal__pk__exact", "reporter__username__iexact")
    search_help_text = "The number of a report or of a deal, or the name of the player who reported."
    ordering = ("-state", "id")
    list_select_related = ("reporter", "handled_by")
    fieldsets = (
        (None, {"fields": ("replay", "about", "whom", "text", "reported_by", "at", "due")}),
        (
            "For staff",
            {"fields": ("state", "acknowledged_at", "note", "answer", "answer_read_at", "handled_by", "handled_at")},
        ),
    )

    def facts(self, row: Report) -> list[tuple[str, str]]:
        """Return what the answer is to: what it is about, in whose words."""
        return [(row.get_about_display(), row.text or "—")]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        reports: QuerySet[Report] = super().get_queryset(request).prefetch_related("deal__seats__seating")
        return reports

    @admin.display(description="due")
    def due(self, report: Report) -> SafeString | str:
        """Return what is due next, and when; marked where it is past."""
        if report.state == Report.State.CLOSED:
            return "—"
        what, moment = "answer", report.answer_by
        if report.state == Report.State.OPEN:
            what, moment = "take up", report.acknowledge_by
        when = format_moment_with_utc(moment)
        if report.is_overdue:
            return format_html('<strong class="staff-overdue">past its time: {} by {}</strong>', what, when)
        return format_html("{} by {}", what, when)

    @admin.display(description="deal", ordering="deal")
    def replay(self, report: Report) -> SafeString | str:
        if report.deal_id is None:
            return "complaint"
        return staff_link("tables_deal_replay", report.deal_id, f"deal {report.deal_id}")

    @admin.display(description="whom")
    def whom(self, report: Report) -> Any:
        for deal_seat in report.deal.seats.all() if report.deal else ():
            if deal_seat.seat == report.seat:
                return _player(deal_seat.user_id, deal_seat.seating.name)
        return "—"

    @admin.display(description="reported by", ordering="reporter")
    def reported_by(self, report: Report) -> SafeString | str:
        if report.reporter is None:
            return "somebody without an account"
        return _player(report.reporter_id, report.reporter.username)


def _player(pk: int | None, name: str) -> SafeString | str:
    return f"{name} (computer)" if pk is None else staff_link("lobby_player_change", pk, name)
