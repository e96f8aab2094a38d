"""Admin pages of the wallet: adjustments and acknowledgements, which two people make; and to be read only the books,
the audit trail, audits, freezes, heads of days and exports.
"""

import json
import uuid
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import path, reverse_lazy
from django.utils.html import format_html
from django.utils.safestring import SafeString

from wallet import adjustments
from wallet.audit import requests
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import STATEMENT
from wallet.backoffice.read_only import BookAdmin, ReadOnly, ReadOnlyList
from wallet.backoffice.request_admin import RequestAdmin, RequestForm, decisions
from wallet.base.amounts import SmallestUnitsField
from wallet.base.api import player_of
from wallet.base.findings import BROKE_OFF
from wallet.base.money import CURRENCIES, LARGEST_AMOUNT, display, unit
from wallet.base.places import COLUMNS
from wallet.base.report_zone import format_moment_with_utc
from wallet.base.texts import VisibleText
from wallet.ledger.accounts import with_reference
from wallet.ledger.selectors import spendable
from wallet.models import (
    Account,
    Acknowledgement,
    Adjustment,
    AuditRun,
    DayHead,
    ExportRecord,
    Freeze,
    Posting,
    Transfer,
)


class _TransferLines:
    """What a transfer moved and left, each with its unit."""

    @admin.display(description="amount", ordering="amount")
    def moved(self, transfer: Transfer) -> str:
        return display(transfer.amount, transfer.debit.currency)

    @admin.display(description="debit balance")
    def debit_then(self, transfer: Transfer) -> str:
        return display(transfer.debit_balance, transfer.debit.currency)

    @admin.display(description="credit balance")
    def credit_then(self, transfer: Transfer) -> str:
        return display(transfer.credit_balance, transfer.debit.currency)


class TransferInline(_TransferLines, ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    model = Transfer
    template = "staff/lines.html"
    fields = readonly_fields = ("line", "debit", "credit", "moved", "debit_then", "credit_then")

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
class TransferAdmin(_TransferLines, BookAdmin):
    list_display = ("posting", "line", "debit", "credit", "moved", "time")
    search_fields = ("posting__key__exact",)
    search_help_text = "The key of a posting, as deal:7:settle."
    fields = ("posting", "line", "debit", "credit", "moved", "debit_then", "credit_then", "time")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transfer]:
        return super().get_queryset(request).select_related("posting", "debit", "credit")

    @admin.display(description="time")
    def time(self, transfer: Transfer) -> SafeString:
        return format_moment_with_utc(transfer.posting.created_at)


class AdjustmentForm(RequestForm):
    amount = SmallestUnitsField(
        min_value=-LARGEST_AMOUNT,
        max_value=LARGEST_AMOUNT,
        help_text=f"A whole number of {' or '.join(map(unit, CURRENCIES))}; below zero takes away.",
    )
    name = forms.CharField(
        max_length=20,
        label="Player",
        help_text="The name with which the player signs in; a part of it finds it.",
        widget=forms.TextInput(
            attrs={"list": "staff-names", "autocomplete": "off", "data-names": reverse_lazy("admin:lobby_player_names")}
        ),
    )
    currency = forms.ChoiceField(choices=lambda: [(each.code, each.title) for each in CURRENCIES.values()])
    request_id = forms.CharField(widget=forms.HiddenInput, max_length=40, initial=lambda: uuid.uuid4().hex)

    class Meta:
        model = Adjustment
        fields = ("amount", "reason")
        field_classes = {"reason": VisibleText}
        help_texts = {"reason": "The player reads it in their statement. Never against payment: chips are not sold."}
        widgets = {"reason": forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"})}

    def clean_name(self) -> str:
        try:
            self.player = get_user_model()._default_manager.get_by_natural_key(self.cleaned_data["name"])
        except get_user_model().DoesNotExist as error:
            raise ValidationError("There is no player of this name.") from error
        return str(self.cleaned_data["name"])

    def clean_amount(self) -> int:
        amount: int = self.cleaned_data["amount"]
        if not amount:
            raise ValidationError("Not 0: above it something is given, below it taken.")
        return amount

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if not self.errors and (
            impossible := adjustments.why_impossible(self.player, data["currency"], data["amount"])
        ):
            self.add_error("amount", impossible)
        return super().clean()

    def ask(self, data: dict[str, Any]) -> Adjustment:
        return adjustments.ask(
            request_id=data["request_id"], player=self.player, currency=data["currency"],
            amount=data["amount"], reason=data["reason"], actor=self.actor,
        )  # fmt: skip


@admin.register(Adjustment)
class AdjustmentAdmin(RequestAdmin):
    request_form = AdjustmentForm
    request_fields = ("name", "currency", "amount", "reason", "request_id")
    request_permission = "wallet.ask_adjustment"
    reason_label = "Reason, which the player reads"
    moves_money = True
    row_actions = decisions(
        "wallet.decide_adjustment", "Approve",
        granted="The amount is posted to the player's balance.", refused="Nothing is posted.",
        grant=adjustments.grant, refuse=adjustments.refuse,
    )  # fmt: skip
    add_form_template = "staff/adjust.html"

    def get_urls(self) -> list[Any]:
        page = self.admin_site.admin_view(self.preview)
        return [path("preview/", page, name="wallet_adjustment_preview"), *super().get_urls()]

    def preview(self, request: HttpRequest) -> JsonResponse:
        """Return as JSON what the adjustment in the form would do."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        name, code = request.GET.get("name", "").replace("\0", "")[:20], request.GET.get("currency", "")
        try:
            player = get_user_model()._default_manager.get_by_natural_key(name)
            amount = SmallestUnitsField(max_value=None, required=False).clean(request.GET.get("amount", "")) or 0
        except (get_user_model().DoesNotExist, ValidationError):
            return JsonResponse({"state": "", "text": "Name the player and a whole amount."})
        if code not in CURRENCIES or abs(amount) > LARGEST_AMOUNT:
            return JsonResponse({"state": "refused", "text": "There is no such amount."})
        state, text = adjustments.what_follows(player, code, amount, player_of(request))
        return JsonResponse({"state": state, "text": text})

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        """Say whether the adjustment was posted or waits, and redirect to it."""
        what = f"{self.shown(obj)} for {obj.player.get_username()}"
        if obj.status == Adjustment.Status.GRANTED:
            balance = spendable(obj.player_id, obj.currency)
            messages.success(request, f"Posted: {what}. The balance is {display(balance, obj.currency)}.")
        else:
            messages.warning(request, f"Not posted yet: {what} waits for a second person.")
        return redirect("admin:wallet_adjustment_change", obj.pk)

    def facts(self, row: Adjustment) -> list[tuple[str, str]]:
        """Return the player, the amount and the balance before and after, and what is told of every request."""
        balance = spendable(row.player_id, row.currency)
        change = f"{display(balance, row.currency)} → {display(balance + row.amount, row.currency)}"
        return [
            ("Player", f"{row.player}, number {row.player_id}"),
            ("Amount", self.shown(row)),
            ("Balance before → after", change if row.status == Adjustment.Status.ASKED else "decided already"),
            *super().facts(row),
        ]

    list_display = ("id", "player", "shown", "status", "asked_by", "asked_at", "decided_by", "reason")
    list_filter = ("status", "currency")
    list_select_related = ("player", "asked_by", "decided_by")
    search_fields = ("pk__exact", "player__username__iexact")
    search_help_text = "The number of an adjustment, or a player's name in full."
    fields = (
        "player", "shown", "reason", "status", "asked_by", "asked_at",
        "decided_by", "decided_at", "decision_reason", "posting_key",
    )  # fmt: skip

    @property
    def request_description(self) -> str:
        limits = ", ".join(display(adjustments.limit(code), code) for code in CURRENCIES)
        return (
            f"For one player and day up to {limits} are posted at once, more waits for a second person; so do "
            "accounts of the staff, much by one person, and what is taken from one player and given to another."
        )

    @admin.display(description="amount", ordering="amount")
    def shown(self, row: Adjustment) -> str:
        return ("+" if row.amount > 0 else "") + display(row.amount, row.currency)


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
        """Leave out what the platform states for the audit alone, and notes for whom they are not meant."""
        acts = super().get_queryset(request).exclude(target_type=STATEMENT)
        return acts if request.user.has_perm("lobby.view_note") else acts.exclude(after__has_key="note")

    @admin.display(description="before")
    def was(self, entry: AuditEntry) -> SafeString:
        return _as_json(entry.before)

    @admin.display(description="after")
    def became(self, entry: AuditEntry) -> SafeString:
        return _as_json(entry.after)


def _as_json(content: object) -> SafeString:
    text = "—" if content is None else json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
    return format_html("<pre>{}</pre>", text)


@admin.register(AuditRun)
class AuditRunAdmin(BookAdmin):
    list_display = ("started_at", "differences", "transfers", "postings", "accounts", "ended_at")
    fields = ("started_at", "ended_at", "differences", "findings", "transfers", "postings", "accounts")


@admin.register(Freeze)
class FreezeAdmin(BookAdmin):
    list_display = ("since", "reason", "asked_by", "lifted_by", "lifted_at")
    list_select_related = ("asked_by", "lifted_by")
    fields = ("since", "reason", "run", "note", "asked_by", "asked_at", "lifted_by", "lifted_at")


@admin.register(DayHead)
class DayHeadAdmin(BookAdmin):
    list_display = ("day", "transfers", "last_transfer", "signed_at")
    fields = ("day", "transfers", "last_transfer", "digest", "signed_at")


@admin.register(ExportRecord)
class ExportRecordAdmin(BookAdmin):
    list_display = ("at", "by", "via", "first_day", "last_day", "currency", "format", "rows")
    list_select_related = ("by",)
    fields = ("at", "by", "via", "first_day", "last_day", "currency", "format", "rows", "as_of", "digest")


def _unacknowledged_findings() -> dict[str, dict[str, str]]:
    """Return, by digest, the findings of the last audit that may be acknowledged, and for which nobody has asked."""
    run = AuditRun.objects.order_by("-pk").first()
    findings = [row for row in run.findings if row["check"] != BROKE_OFF] if run else []
    by_digest = {requests.finding_digest(row["check"], row["subject"], row["message"]): row for row in findings}
    for digest in Acknowledgement.objects.filter(digest__in=by_digest).values_list("digest", flat=True):
        del by_digest[digest]
    return by_digest


class AcknowledgeForm(RequestForm):
    difference = forms.ChoiceField(help_text="What the last audit of the night found.")

    class Meta:
        model = Acknowledgement
        fields = ("reason",)
        field_classes = {"reason": VisibleText}
        widgets = {"reason": forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._findings = _unacknowledged_findings()
        findings = self._findings.items()
        choices = [(digest, f"{row['check']}: {row['subject']} {row['message']}") for digest, row in findings]
        self.fields["difference"].choices = choices or [("", "Nothing was found that nobody has asked for")]  # type: ignore[attr-defined]

    def ask(self, data: dict[str, Any]) -> Acknowledgement:
        finding = self._findings[data["difference"]]
        return requests.request_acknowledgement(
            check=finding["check"], subject=finding["subject"], message=finding["message"],
            reason=data["reason"], actor=self.actor,
        )  # fmt: skip


@admin.register(Acknowledgement)
class AcknowledgementAdmin(RequestAdmin):
    request_form = AcknowledgeForm
    request_fields = ("difference", "reason")
    request_permission = "wallet.ask_acknowledgement"
    moves_money = True
    row_actions = decisions(
        "wallet.decide_acknowledgement", "Acknowledge",
        granted="The difference stays in every audit; the night freezes settlement for it no more.",
        refused="The difference freezes settlement every night until it is put right.",
        grant=requests.grant, refuse=requests.refuse, grave=True,
    )  # fmt: skip

    def facts(self, row: Acknowledgement) -> list[tuple[str, str]]:
        """Return the difference, and what is told of every request."""
        return [("Difference", f"{row.check_name}: {row.subject} {row.message}"), *super().facts(row)]

    list_display = ("id", "check_name", "subject", "status", "asked_by", "asked_at", "decided_by", "reason")
    list_filter = ("status",)
    list_select_related = ("asked_by", "decided_by")
    fields = (
        "check_name", "subject", "message", "reason", "status", "asked_by", "asked_at", "decided_by", "decided_at",
        "decision_reason", "digest",
    )  # fmt: skip
