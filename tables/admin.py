"""Tables, matches and deals for staff: to be looked at by those with the right, never changed, never a hidden card."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from tables.models import Deal, Match, Seating, Table


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]  # generic for the type checker only
    """Nobody adds, changes or deletes here."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Table)
class TableAdmin(ReadOnly):
    list_display = ["id", "title", "book", "currency", "status", "phase", "seated", "version", "opened_at"]
    list_filter = ["status", "phase", "family", "currency"]
    search_fields = ["=id", "title", "seatings__name"]
    fields = [
        "title", "book", "book_version", "currency", "seats", "practice_for", "status", "phase",
        "seated", "version", "trouble", "opened_at", "closed_at",
    ]  # fmt: skip


@admin.register(Seating)
class SeatingAdmin(ReadOnly):
    list_display = ["id", "table", "seat", "name", "taken_at", "left_at", "freed_at"]
    search_fields = ["=id", "=table__id", "name"]
    fields = ["table", "seat", "user", "name", "taken_at", "left_at", "freed_at"]
    list_select_related = ["table"]


@admin.register(Match)
class MatchAdmin(ReadOnly):
    list_display = ["id", "table", "book", "status", "started_at", "ended_at", "reason"]
    list_filter = ["status"]
    search_fields = ["=id", "=table__id"]
    list_select_related = ["table"]


@admin.register(Deal)
class DealAdmin(ReadOnly):
    list_display = ["id", "match", "number", "book", "status", "started_at", "ended_at"]
    list_filter = ["status"]
    search_fields = ["=id", "=match__id"]
    fields = ["match", "number", "book", "book_version", "status", "commitment", "started_at", "ended_at", "result"]
    list_select_related = ["match"]
