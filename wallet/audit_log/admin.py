"""The trail for those who may read it; nobody writes it by hand."""

import json

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from wallet.audit_log.models import Record
from wallet.base.paging import LongList


@admin.register(Record)
class RecordAdmin(LongList):
    list_display = ("at", "name", "address", "what", "shown", "reason")
    list_filter = ("at", "what")
    search_fields = ("name__exact", "object_id__exact", "what__exact")
    search_help_text = "Who, the id of an object, or what was done, exactly as written."
    ordering = ("-id",)
    fields = ("at", "name", "address", "what", "kind", "object_id", "shown", "reason", "was", "became")
    readonly_fields = ("was", "became")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @admin.display(description="before")
    def was(self, record: Record) -> SafeString:
        return _shown(record.before)

    @admin.display(description="after")
    def became(self, record: Record) -> SafeString:
        return _shown(record.after)


def _shown(content: object) -> SafeString:
    text = "—" if content is None else json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
    return format_html("<pre>{}</pre>", text)
