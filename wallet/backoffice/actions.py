"""Actions of staff on rows in the admin: each asks for a reason on a page of its own, for the trail."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import DatabaseError, models, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.http import urlencode

from wallet.audit_log import services as audit_log
from wallet.audit_log.services import of_request
from wallet.base.api import is_id
from wallet.base.paging import LongList
from wallet.base.texts import VisibleText

#: The most rows of one action.
MOST = 100


class ReasonForm(forms.Form):
    reason = VisibleText(
        min_length=3, max_length=500, widget=forms.Textarea(attrs={"rows": 3, "cols": 70, "class": "vLargeTextField"})
    )


class CancelForm(ReasonForm):
    """The reason is kept whole with what is cancelled, for whom it concerns."""

    reason = VisibleText(min_length=3, max_length=200, widget=ReasonForm.base_fields["reason"].widget)


@dataclass(frozen=True, slots=True)
class AdminAction:
    """An action: `do(row, reason, actor)` for users with `permission`. It refuses by an exception with a `message`.

    Further fields of `form` are arguments by name. A text that `do` returns is shown once, on the page that answers the
    acting user: it may be secret, so it is never in a message, which travels in a cookie.
    """

    name: str
    label: str
    explained: str
    permission: str
    do: Callable[..., object]
    asks: str = "Reason"
    form: type[ReasonForm] = ReasonForm
    grave: bool = False
    #: Whether it is done to one row at a time, from the row's own page only.
    single: bool = False
    #: Whether the action makes sense for a row, and is offered on its page.
    fits: Callable[[Any], bool] = lambda row: True


class KnownRows(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """A choice of rows that refuses a number beyond those of rows, on which SQLite would break off."""

    def clean(self, value: Any) -> Any:
        try:
            return super().clean(value)
        except OverflowError as error:
            beyond = next(each for each in value if not is_id(str(each)))
            message = self.error_messages["invalid_choice"]
            raise ValidationError(message, code="invalid_choice", params={"value": beyond}) from error


class ReasonedForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form that asks for the reason of a change; a new row needs none.

    It refuses where another has changed the row since the page was shown: it would undo what it does not show.
    """

    reason = VisibleText(
        max_length=500, help_text="For the audit trail.", widget=forms.TextInput(attrs={"class": "vTextField"})
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None and "reason" in self.fields:
            self.fields["reason"].required = False
        stored = {name: self.initial.get(name) for name, field in self.fields.items() if not field.disabled}
        texts = {name: sorted(map(str, each)) if isinstance(each, list) else str(each) for name, each in stored.items()}
        self.initial["seen"] = hashlib.sha256(json.dumps(texts).encode()).hexdigest()

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if self.instance.pk is not None and values.get("seen") not in ("", None, self.initial["seen"]):
            self.add_error(None, "Somebody has changed this since you opened it. Open it again, and look.")
        return values


class ActionAdmin(LongList):
    """A list with actions on its rows: as bulk actions, and as buttons on each row's own page."""

    row_actions: Sequence[AdminAction] = ()
    #: The exceptions with which services refuse.
    refusals: tuple[type[Exception], ...] = ()
    change_form_template = "staff/change_form.html"
    #: Whether every page except the list requires a fresh code of the second factor.
    moves_money = False

    def facts(self, row: Any) -> Sequence[tuple[str, str]]:
        """Return the facts about the row that a user must see before acting on it; empty where its name is enough.

        If they change after the page was shown, nothing is done and the page is shown again.
        """
        return ()

    def get_urls(self) -> list[Any]:
        name = self.opts.model_name
        action_urls = [
            path(
                f"{action.name}/",
                self.admin_site.admin_view(lambda request, action=action: self.run_action(request, action)),
                name=f"{self.opts.app_label}_{name}_{action.name}",
            )
            for action in self.row_actions
        ]
        urls: list[Any] = [*action_urls, *super().get_urls()]
        for page in urls:
            if self.moves_money and not str(page.name).endswith("_changelist"):
                page.callback.needs_fresh_code = True
        return urls

    def is_allowed(self, request: HttpRequest, action: AdminAction) -> bool:
        return bool(request.user.has_perm(action.permission)) and self.has_view_permission(request)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the row actions that this user may use; Django's bulk deletion is never among them."""
        actions = {}
        for action in self.row_actions:
            if not action.single and self.is_allowed(request, action):
                actions[action.name] = (self._redirect_to(action), action.name, action.label)
        return actions

    def response_action(self, request: HttpRequest, queryset: Any, *args: Any, **kwargs: Any) -> HttpResponse | None:
        """Run the chosen action; a list that was not sent by its page may name what is no row, and is shown again."""
        if all(map(is_id, request.POST.getlist(ACTION_CHECKBOX_NAME))):
            return super().response_action(request, queryset, *args, **kwargs)
        messages.warning(request, "Nothing was chosen.")
        return None

    def _redirect_to(self, action: AdminAction) -> Callable[..., HttpResponse]:
        def ask(modeladmin: Any, request: HttpRequest, queryset: Any) -> HttpResponse:
            ids = list(queryset.order_by("pk").values_list("pk", flat=True)[: MOST + 1])
            if len(ids) > MOST:
                messages.warning(request, f"You have chosen more than {MOST}. Here are the first {MOST} of them only.")
            return redirect(f"{self._address(action)}?{urlencode({'ids': ','.join(map(str, ids[:MOST]))})}")

        return ask

    def _address(self, action: AdminAction) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{action.name}")

    def run_action(self, request: HttpRequest, action: AdminAction) -> HttpResponseBase:
        """Ask for the reason on GET; on POST with a reason, act on each row and redirect back."""
        if not self.is_allowed(request, action):
            raise PermissionDenied
        data = request.POST if request.method == "POST" else request.GET
        parts = data.get("ids", "").split(",")
        ids = [int(part) for part in parts if is_id(part)][:MOST]
        rows = list(self.get_queryset(request).filter(pk__in=ids).order_by("pk"))
        form = action.form(request.POST if request.method == "POST" else None)
        form.fields["reason"].label = action.asks
        next_page = self._next_page(rows)
        if not rows:
            messages.warning(request, "Nothing was chosen.")
            return redirect(next_page)
        if action.single and len(rows) > 1:
            messages.warning(request, f"{action.label}: one at a time.")
            return redirect(next_page)
        content = [{"row": row, "facts": self.facts(row)} for row in rows]
        fingerprint = _fingerprint(content)
        changed = request.method == "POST" and fingerprint and request.POST.get("seen") != fingerprint
        if changed:
            form.add_error(None, "What stands here is not what you have looked at, or has changed since. Look again.")
        if request.method == "POST" and form.is_valid():
            answers = self._do_all(request, action, rows, form.cleaned_data)
            if not answers:
                return redirect(next_page)
            return self._page(request, "staff/answered.html", action, next_page, {"answers": answers})
        context = {"rows": content, "seen": fingerprint, "ids": ",".join(str(row.pk) for row in rows), "form": form}
        status = 409 if changed else 400 if request.method == "POST" else 200
        return self._page(request, "staff/confirm.html", action, next_page, context, status=status)

    def _page(
        self,
        request: HttpRequest,
        template: str,
        action: AdminAction,
        back: str,
        context: Mapping[str, Any],
        status: int = 200,
    ) -> TemplateResponse:
        frame = {**self.admin_site.each_context(request), "opts": self.opts, "title": action.label}
        return TemplateResponse(request, template, {**frame, "action": action, "back": back, **context}, status=status)

    def _next_page(self, rows: list[Any]) -> str:
        place = f"admin:{self.opts.app_label}_{self.opts.model_name}"
        return reverse(f"{place}_change", args=[rows[0].pk]) if len(rows) == 1 else reverse(f"{place}_changelist")

    def _do_all(self, request: HttpRequest, action: AdminAction, rows: list[Any], data: Mapping[str, Any]) -> list[str]:
        """Act on each row, and return the texts for the acting user."""
        reason, more = data["reason"], {name: value for name, value in data.items() if name != "reason"}
        count, answers = 0, []
        for row in rows:
            try:
                with transaction.atomic():
                    answer = action.do(row, reason, of_request(request), **more)
                count += 1
                if isinstance(answer, str):
                    answers.append(answer)
            except self.refusals as refusal:
                messages.error(request, f"{row}: {getattr(refusal, 'message', refusal)}")
            except DatabaseError:
                messages.error(request, f"{row}: the database was busy, nothing was changed. Please try again.")
        if count:
            messages.success(request, f"{action.label}: done for {count}.")
        return answers

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the row's page with the actions that fit it as buttons."""
        row = self.get_object(request, object_id)
        offered = [
            action
            for action in self.row_actions
            if row is not None and action.fits(row) and self.is_allowed(request, action)
        ]
        buttons = [{"action": action, "href": f"{self._address(action)}?ids={row.pk}"} for action in offered]
        return super().change_view(request, object_id, form_url, {"buttons": buttons, **(extra_context or {})})


class AuditedAdmin(ActionAdmin):
    """An admin whose own forms are recorded in the trail as well, with the reason from the form."""

    form = ReasonedForm
    formfield_overrides = {models.ManyToManyField: {"form_class": KnownRows}}

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse: rows are locked, withdrawn or switched off, not deleted, since others refer to them."""
        return False

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Add the field for the reason, for users who may change the row."""
        fieldsets = list(super().get_fieldsets(request, obj))
        if obj is not None and self.has_change_permission(request, obj):
            fieldsets.append(("Why", {"fields": ("reason", "seen")}))
        return fieldsets

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        stored = type(obj)._default_manager.filter(pk=obj.pk).first() if change else None
        request.trail_before = audit_log.snapshot(stored) if stored is not None else {}  # type: ignore[attr-defined]
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        before = getattr(request, "trail_before", {})
        obj = form.instance
        fresh = type(obj)._default_manager.get(pk=obj.pk)
        former, present = audit_log.changes(before, audit_log.snapshot(fresh))
        if former or present or not change:
            act = f"{self.opts.model_name}.{'change' if change else 'add'}"
            reason = form.cleaned_data.get("reason", "")
            before = former if change else None
            audit_log.record(of_request(request), act, fresh, reason=reason, before=before, after=present)


def _fingerprint(content: list[dict[str, Any]]) -> str:
    """Return the SHA-256 of all facts on the page, in hex; empty where there are none."""
    facts = [(entry["row"].pk, *entry["facts"]) for entry in content if entry["facts"]]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest() if facts else ""
