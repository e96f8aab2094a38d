"""The queue of players' reports."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lobby.reports import services
from lobby.reports.models import Report
from tables.errors import TableError
from wallet.backoffice.actions import ActionAdmin, AdminAction
from wallet.backoffice.read_only import ReadOnly


@admin.register(Report)
class ReportAdmin(ReadOnly, ActionAdmin):
    """The queue: open reports first, the oldest at the top. The deal is attached, with every hand and move."""

    row_actions = (
        AdminAction(
            "look",
            "Look at the report",
            "The reporter sees that somebody is at it.",
            "lobby.handle_report",
            services.look_at,
            asks="Note",
            fits=lambda report: report.state == Report.State.OPEN,
        ),
        AdminAction(
            "answer",
            "Answer the player",
            "The reporter reads your answer on the site, and the report is closed.",
            "lobby.handle_report",
            services.answer_report,
            asks="Answer, which the player reads",
            fits=lambda report: report.state != Report.State.CLOSED,
        ),
        AdminAction(
            "close",
            "Close the report without an answer",
            "The note stays with the report. The reporter sees that it is closed, not the note.",
            "lobby.handle_report",
            services.close_report,
            asks="What was found",
            fits=lambda report: report.state != Report.State.CLOSED,
        ),
    )
    refusals = (TableError,)
    list_display = ("id", "at", "state", "about", "replay", "whom", "reported_by", "handled_by")
    list_filter = ("state", "about")
    search_fields = ("pk__exact", "deal__pk__exact", "reporter__username__iexact")
    search_help_text = "The number of a report or of a deal, or the name of the player who reported."
    ordering = ("-state", "id")
    list_select_related = ("reporter", "handled_by")
    fieldsets = (
        (None, {"fields": ("replay", "about", "whom", "text", "reported_by", "at")}),
        ("For staff", {"fields": ("state", "note", "answer", "answer_read_at", "handled_by", "handled_at")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        reports: QuerySet[Report] = super().get_queryset(request).prefetch_related("deal__seats__seating")
        return reports

    @admin.display(description="deal", ordering="deal")
    def replay(self, report: Report) -> SafeString:
        return format_html(
            '<a href="{}">deal {}</a>', reverse("admin:tables_deal_replay", args=[report.deal_id]), report.deal_id
        )

    @admin.display(description="whom")
    def whom(self, report: Report) -> Any:
        for deal_seat in report.deal.seats.all():
            if deal_seat.seat == report.seat:
                return _player(deal_seat.user_id, deal_seat.seating.name)
        return "—"

    @admin.display(description="reported by", ordering="reporter")
    def reported_by(self, report: Report) -> SafeString | str:
        return _player(report.reporter_id, report.reporter.username)


def _player(pk: int | None, name: str) -> SafeString | str:
    if pk is None:
        return f"{name} (computer)"
    return format_html('<a href="{}">{}</a>', reverse("admin:lobby_player_change", args=[pk]), name)
