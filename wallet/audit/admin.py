"""Audits, freezes, heads of days and exports in the admin, read-only."""

from django.contrib import admin

from wallet.backoffice.read_only import BookAdmin
from wallet.models import AuditRun, DayHead, ExportRecord, Freeze


@admin.register(AuditRun)
class AuditRunAdmin(BookAdmin):
    list_display = ("started_at", "differences", "transfers", "postings", "accounts", "ended_at")
    fields = ("started_at", "ended_at", "differences", "findings", "transfers", "postings", "accounts")


@admin.register(Freeze)
class FreezeAdmin(BookAdmin):
    list_display = ("since", "reason", "lifted_at", "lifted_by")
    list_select_related = ("lifted_by",)
    fields = ("since", "reason", "run", "lifted_at", "lifted_by", "note")


@admin.register(DayHead)
class DayHeadAdmin(BookAdmin):
    list_display = ("day", "transfers", "last", "signed_at")
    fields = ("day", "transfers", "last", "digest", "signature", "signed_at")


@admin.register(ExportRecord)
class ExportRecordAdmin(BookAdmin):
    list_display = ("at", "by", "via", "first", "last", "currency", "format", "rows")
    list_select_related = ("by",)
    fields = ("at", "by", "via", "first", "last", "currency", "format", "rows", "as_of", "digest")
