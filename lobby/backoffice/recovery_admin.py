"""The page of recoveries, done by support or waiting for a second person."""

from collections.abc import Sequence

from django.contrib import admin

from lobby.accounts.models import SupportRecovery
from lobby.backoffice import recoveries
from wallet.backoffice.request_admin import RequestAdmin, decisions


@admin.register(SupportRecovery)
class SupportRecoveryAdmin(RequestAdmin):
    """The recoveries, the latest first."""

    row_actions = decisions(
        "lobby.decide_recovery", "Approve the recovery",
        granted="A link goes to the confirmed e-mail address, or you get a code to read out to them.",
        refused="Nothing is sent.",
        grant=recoveries.grant, refuse=recoveries.refuse,
        asks="Reason, and how you know that it is they", single=True,
    )  # fmt: skip
    list_display = ("id", "asked_at", "player", "status", "asked_by", "decided_by", "by_mail")
    list_filter = ("status",)
    search_fields = ("player__username__iexact",)
    list_select_related = ("player", "asked_by", "decided_by")
    fields = (
        *("player", "status", "asked_by", "asked_at", "reason"),
        *("decided_by", "decided_at", "decision_reason", "by_mail", "code_used_at", "notice_read_at"),
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
