"""The books as staff see them: to be read, by nobody to be changed."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from wallet.models import Account, Posting, Transfer
from wallet.money import display


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


class BookAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    show_full_result_count = False


@admin.register(Account)
class AccountAdmin(BookAdmin):
    list_display = ("kind", "reference", "owner", "held", "currency")
    list_filter = ("kind", "currency")
    list_select_related = ("owner",)
    search_fields = ("=reference", "owner__username")
    fields = ("kind", "reference", "owner", "held", "currency")

    @admin.display(description="balance", ordering="balance")
    def held(self, account: Account) -> str:
        return display(account.balance, account.currency)


@admin.register(Posting)
class PostingAdmin(BookAdmin):
    list_display = ("key", "reason", "created_at")
    list_filter = ("reason",)
    date_hierarchy = "created_at"
    search_fields = ("key",)
    fields = ("key", "reason", "created_at", "digest")
    inlines = (TransferInline,)


@admin.register(Transfer)
class TransferAdmin(BookAdmin):
    list_display = ("posting", "line", "debit", "credit", "moved", "time")
    list_filter = ("posting__reason",)
    search_fields = ("posting__key",)
    fields = ("posting", "line", "debit", "credit", "moved", "debit_balance", "credit_balance", "time")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transfer]:
        return super().get_queryset(request).select_related("posting", "debit", "credit")

    @admin.display(description="amount", ordering="amount")
    def moved(self, transfer: Transfer) -> str:
        return display(transfer.amount, transfer.debit.currency)

    @admin.display(description="time")
    def time(self, transfer: Transfer) -> Any:
        return transfer.posting.created_at


from wallet import adjustments_admin  # noqa: E402,F401  registers itself beside the books
