"""The books as staff see them: to be read, by nobody to be changed."""

from typing import Any

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from wallet.base.money import display
from wallet.base.paging import LongList
from wallet.models import Account, AccountKind, Posting, Transfer


class ReadOnly:
    """Whatever permissions somebody has, nothing is added, changed or deleted here."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class TransferInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    model = Transfer
    fields = ("line", "debit", "credit", "amount", "debit_balance", "credit_balance")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transfer]:
        return super().get_queryset(request).select_related("posting", "debit", "credit")


class BookAdmin(ReadOnly, LongList):
    """A list as long as the books: newest first by id, never counted whole, sought by what has an index."""

    ordering = ("-id",)
    sortable_by = ()


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
        """By one of two indexes: that of references where it reads like one, else that of owners."""
        if not (sought := search_term.strip()):
            return queryset, False
        if ":" in sought or sought == "house":
            return queryset.filter(kind__in=AccountKind.values, reference=sought), False
        return queryset.filter(owner__in=get_user_model()._default_manager.filter(username=sought)), False

    @admin.display(description="balance", ordering="balance")
    def held(self, account: Account) -> str:
        return display(account.balance, account.currency)


@admin.register(Posting)
class PostingAdmin(BookAdmin):
    list_display = ("key", "reason", "created_at")
    search_fields = ("key__exact",)
    search_help_text = "The key of a posting, as deal:7:settle. By day and by figure: on the finance pages."
    fields = ("key", "reason", "created_at", "digest")
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
    def time(self, transfer: Transfer) -> Any:
        return transfer.posting.created_at


from wallet.adjustments import admin as adjustments_admin  # noqa: E402,F401  registers itself beside the books
