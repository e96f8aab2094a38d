"""Requests in the admin: a page to ask on, the list, and the decision of a second person.

Validating the form calls the service, which stores the row or says why it refuses.
"""

from collections.abc import Callable
from typing import Any

from django import forms
from django.db import models, transaction
from django.http import HttpRequest

from wallet.audit_log.services import of_request
from wallet.backoffice.actions import ActionAdmin, AdminAction
from wallet.backoffice.read_only import ReadOnly
from wallet.base.errors import Refusal
from wallet.base.requests import TwoPersonRequest


class RequestForm(forms.ModelForm):  # type: ignore[type-arg]  # generic for the type checker only
    actor: Any = None

    def clean(self) -> dict[str, Any]:
        """Call the service as part of validation: its refusals appear in the form, and then nothing is stored."""
        data = super().clean() or {}
        if not self.errors:
            try:
                with transaction.atomic():
                    self.saved = self.ask(data)
            except Refusal as refusal:
                self.add_error(None, refusal.message)
        return data

    def ask(self, data: dict[str, Any]) -> models.Model:
        raise NotImplementedError

    def _post_clean(self) -> None:
        """Leave the row to the service."""


def decisions(
    permission: str, label: str, *, granted: str, refused: str,
    grant: Callable[..., object], refuse: Callable[..., object], **options: Any,
) -> tuple[AdminAction, AdminAction]:  # fmt: skip
    """Return the actions of the second person; `granted` and `refused` say what follows, `options` are of `grant`."""

    def waits(row: TwoPersonRequest) -> bool:
        return row.status == row.Status.ASKED

    return (
        AdminAction("grant", label, granted, permission, grant, fits=waits, **options),
        AdminAction("refuse", "Refuse", refused, permission, refuse, fits=waits, grave=True),
    )


class RequestAdmin(ReadOnly, ActionAdmin):
    """The requests of one kind. Where it has a form, they are asked for here."""

    request_form: type[RequestForm] | None = None
    request_fields: tuple[str, ...] = ()
    #: The right to ask.
    request_permission = ""
    reason_label = "Reason"
    refusals = (Refusal,)
    ordering = ("-id",)

    @property
    def request_description(self) -> str:
        """The text above the form."""
        return ""

    def facts(self, row: Any) -> list[tuple[str, str]]:
        """Return what the second person decides by: who asked, whether they still might, why, and the status."""
        asker = row.asked_by
        may_ask = asker.is_staff and asker.has_perm(self.request_permission)
        return [
            ("Asked for by", f"{asker}" if may_ask else f"{asker}, who is locked or may not ask for this any more"),
            (self.reason_label, row.reason),
            ("Status", row.get_status_display()),
        ]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.request_form is not None and bool(request.user.has_perm(self.request_permission))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is not None:
            return super().get_fieldsets(request, obj)
        return [(None, {"description": self.request_description, "fields": self.request_fields})]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is not None:
            return super().get_form(request, obj, change=change, **kwargs)
        assert self.request_form is not None
        return type("RequestForm", (self.request_form,), {"actor": of_request(request)})

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        """Return the row, which the service has stored already."""
        return form.saved

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Do nothing: the service has stored the row."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Do nothing: the row has no related rows to save."""
