"""Audits, freezes, heads of days and exports in the admin, read-only, and acknowledgements.

One of the staff requests an acknowledgement for a finding of an audit, another decides.
"""

from typing import Any

from django import forms
from django.contrib import admin

from wallet.audit import requests
from wallet.audit.requests import finding_digest
from wallet.backoffice.read_only import BookAdmin
from wallet.backoffice.request_admin import RequestAdmin, RequestForm, decisions
from wallet.base.findings import BROKE_OFF
from wallet.models import Acknowledgement, AuditRun, DayHead, ExportRecord, Freeze


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
    by_digest = {finding_digest(row["check"], row["subject"], row["message"]): row for row in findings}
    for digest in Acknowledgement.objects.filter(digest__in=by_digest).values_list("digest", flat=True):
        del by_digest[digest]
    return by_digest


class AcknowledgeForm(RequestForm):
    difference = forms.ChoiceField(help_text="What the last audit of the night found.")

    class Meta:
        model = Acknowledgement
        fields = ("reason",)
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
    list_display = ("id", "check_name", "subject", "status", "asked_by", "asked_at", "decided_by", "reason")
    list_filter = ("status",)
    list_select_related = ("asked_by", "decided_by")
    fields = (
        "check_name", "subject", "message", "reason", "status", "asked_by", "asked_at", "decided_by", "decided_at",
        "decision_reason", "digest",
    )  # fmt: skip
