"""Read-only pages of the admin."""

from django.db.models import Model
from django.http import HttpRequest

from wallet.base.paging import LongList


class ReadOnly:
    """A mixin for admins in which nobody can add, change or delete anything, whatever their permissions."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyList(ReadOnly, LongList):
    """A read-only list of any length, newest first by id; subclasses search only indexed columns."""

    ordering = ("-id",)
    actions = None


class BookAdmin(ReadOnlyList):
    """A list as long as the books, always in the order in which they were written."""

    sortable_by = ()
