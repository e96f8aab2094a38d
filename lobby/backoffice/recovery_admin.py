"""The page of recoveries, done by support or waiting for a second person."""

from collections.abc import Sequence

from django.contrib import admin

from lobby.accounts.mail.sending import MailRefused
from lobby.accounts.models import SupportRecovery
from lobby.backoffice import recoveries
from lobby.backoffice.services import StaffRefusal
from wallet.backoffice.actions import ActionAdmin, AdminAction
from wallet.backoffice.read_only import ReadOnly


def _is_open(row: SupportRecovery) -> bool:
    return row.status == SupportRecovery.Status.ASKED


@admin.register(SupportRecovery)
class SupportRecoveryAdmin(ReadOnly, ActionAdmin):
    """The recoveries, the latest first."""

    row_actions = (
        AdminAction(
            "approve",
            "Approve the recovery",
            "A link goes to the confirmed e-mail address, or you get a code to read out to them.",
            "lobby.approve_recovery",
            recoveries.approve,
            asks="Reason, and how you know that it is they",
            single=True,
            fits=_is_open,
        ),
        AdminAction(
            "refuse",
            "Refuse the recovery",
            "Nothing is sent.",
            "lobby.approve_recovery",
            recoveries.refuse,
            fits=_is_open,
        ),
    )
    refusals = (StaffRefusal, MailRefused)
    list_display = ("id", "asked_at", "player", "status", "asked_by", "decided_by", "by_mail")
    list_filter = ("status",)
    search_fields = ("player__username__iexact",)
    ordering = ("-id",)
    list_select_related = ("player", "asked_by", "decided_by")
    fields = (
        *("player", "status", "asked_by", "asked_at", "reason"),
        *("decided_by", "decided_at", "decision", "by_mail", "opened_at", "told_at"),
    )

    def facts(self, row: SupportRecovery) -> Sequence[tuple[str, str]]:
        """Return the account, who asked and why, and the status."""
        return (
            ("Account", row.player.username),
            ("E-mail", "confirmed" if row.player.email else "none"),
            ("Asked by", row.asked_by.username),
            ("Reason", row.reason),
            ("Status", row.get_status_display()),
        )
