"""Pages of the admin that are there to be read."""

from django.db.models import Model
from django.http import HttpRequest

from wallet.base.paging import LongList


class ReadOnly:
    """Whatever permissions somebody has, nothing is added, changed or deleted here."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyList(ReadOnly, LongList):
    """A list as long as it likes: newest first by id, never counted whole, sought by what has an index."""

    ordering = ("-id",)
    actions = None
