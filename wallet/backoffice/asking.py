"""Adding rows in the admin: validating the form calls the service, which stores the row or says why it refuses."""

from typing import Any

from django import forms
from django.db import models, transaction
from django.http import HttpRequest

from wallet.audit_log.services import of_request
from wallet.base.errors import WalletError


class AskingForm(forms.ModelForm):  # type: ignore[type-arg]  # generic for the type checker only
    actor: Any = None

    def clean(self) -> dict[str, Any]:
        """Call the service as part of validation: its refusals appear in the form, and then nothing is stored."""
        data = super().clean() or {}
        if not self.errors:
            try:
                with transaction.atomic():
                    self.asked = self.ask(data)
            except WalletError as refusal:
                self.add_error(None, refusal.message)
        return data

    def ask(self, data: dict[str, Any]) -> models.Model:
        raise NotImplementedError

    def _post_clean(self) -> None:
        """Leave the row to the service."""


class AskingAdmin:
    """A mixin for a page `add` whose form is an AskingForm."""

    asking_form: type[AskingForm]
    asking_fields: tuple[str, ...]
    asking_permission: str

    @property
    def asking_told(self) -> str:
        """What stands above the form."""
        return ""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm(self.asking_permission))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is not None:
            return super().get_fieldsets(request, obj)  # type: ignore[misc]
        return [(None, {"description": self.asking_told, "fields": self.asking_fields})]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is not None:
            return super().get_form(request, obj, change=change, **kwargs)  # type: ignore[misc]
        return type("AskedForm", (self.asking_form,), {"actor": of_request(request)})

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        """Return the row, which the service has stored already."""
        return form.asked

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Do nothing: the service has stored the row."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Do nothing: the row has no related rows to save."""
