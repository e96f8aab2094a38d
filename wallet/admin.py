"""Read-only admin pages of the books and the audit trail."""

import json

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import STATEMENT
from wallet.backoffice.read_only import BookAdmin, ReadOnly, ReadOnlyList
from wallet.base.money import display
from wallet.base.places import COLUMNS
from wallet.base.report_zone import format_moment_with_utc
from wallet.ledger.accounts import with_reference
from wallet.models import Account, Posting, Transfer


class TransferInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    model = Transfer
    template = "staff/lines.html"
    fields = ("line", "debit", "credit", "amount", "debit_balance", "credit_balance")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transfer]:
        return super().get_queryset(request).select_related("posting", "debit", "credit")


@admin.register(Account)
class AccountAdmin(BookAdmin):
    list_display = ("kind", "reference", "owner", "held", "currency")
    list_filter = ("kind",)
    list_select_related = ("owner",)
    search_fields = ("reference__exact",)
    search_help_text = "The reference of an account, as seating:7 or match:7, or its owner's name in full."
    fields = ("kind", "reference", "owner", "held", "currency")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Account], search_term: str
    ) -> tuple[QuerySet[Account], bool]:
        """Search references where the term looks like one, else names of owners; both are indexed."""
        if not (sought := search_term.strip()):
            return queryset, False
        if ":" in sought or sought == "house":
            return queryset.filter(with_reference(sought)), False
        return queryset.filter(owner__in=get_user_model()._default_manager.filter(username=sought)), False

    @admin.display(description="balance", ordering="balance")
    def held(self, account: Account) -> str:
        return display(account.balance, account.currency)


@admin.register(Posting)
class PostingAdmin(BookAdmin):
    list_display = ("key", "reason", "created_at")
    search_fields = ("key__exact",)
    search_help_text = "The key of a posting, as deal:7:settle. By day and by figure: on the finance pages."
    fields = ("key", "reason", "created_at", *COLUMNS, "digest")
    inlines = (TransferInline,)


@admin.register(Transfer)
class TransferAdmin(BookAdmin):
    list_display = ("posting", "line", "debit", "credit", "moved", "time")
    search_fields = ("posting__key__exact",)
    search_help_text = "The key of a posting, as deal:7:settle."
    fields = ("posting", "line", "debit", "credit", "moved", "debit_balance", "credit_balance", "time")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transfer]:
        return super().get_queryset(request).select_related("posting", "debit", "credit")

    @admin.display(description="amount", ordering="amount")
    def moved(self, transfer: Transfer) -> str:
        return display(transfer.amount, transfer.debit.currency)

    @admin.display(description="time")
    def time(self, transfer: Transfer) -> SafeString:
        return format_moment_with_utc(transfer.posting.created_at)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyList):
    list_display = ("at", "actor_name", "address", "action", "target_label", "reason")
    list_filter = ("at", "action")
    search_fields = ("actor_name__exact", "target_id__exact", "action__exact")
    search_help_text = "Who, the id of an object, or what was done, exactly as written."
    ordering = ("-id",)
    fields = (
        "at",
        "actor_name",
        "address",
        "action",
        "target_type",
        "target_id",
        "target_label",
        "reason",
        "was",
        "became",
    )
    readonly_fields = ("was", "became")

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        """Leave out what the platform states for the audit alone."""
        return super().get_queryset(request).exclude(target_type=STATEMENT)

    @admin.display(description="before")
    def was(self, entry: AuditEntry) -> SafeString:
        return _as_json(entry.before)

    @admin.display(description="after")
    def became(self, entry: AuditEntry) -> SafeString:
        return _as_json(entry.after)


def _as_json(content: object) -> SafeString:
    text = "—" if content is None else json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
    return format_html("<pre>{}</pre>", text)


# Django looks for `admin` alone; these register their pages as well.
from wallet.adjustments import admin as adjustments  # noqa: E402,F401
from wallet.audit import admin as audit  # noqa: E402,F401
