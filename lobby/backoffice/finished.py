"""The rows of the lobby that no longer change once they are written or over: see `wallet.audit_log.sealed_rows`."""

from django.db.models import Q

from wallet.audit_log.sealed_rows import FinishedRows, register_rows

register_rows(
    FinishedRows("lobby.SignIn", ("player_id", "at", "how", "succeeded", "address", "client")),
    FinishedRows("lobby.Note", ("player_id", "author_id", "at", "text")),
    FinishedRows("lobby.SupportRecovery", ("player_id", "asked_by_id", "asked_at", "reason"), part="as asked for"),
    FinishedRows(
        "lobby.SupportRecovery",
        ("status", "by_mail", "decided_by_id", "decided_at", "decision_reason"),
        ~Q(status="asked"),
        part="as decided",
    ),
    FinishedRows("lobby.Report", ("deal_id", "reporter_id", "about", "seat", "text", "at"), part="as sent"),
    FinishedRows("lobby.Report", ("acknowledged_at",), Q(acknowledged_at__isnull=False), part="as taken up"),
    FinishedRows(
        "lobby.Report", ("state", "note", "answer", "handled_by_id", "handled_at"), Q(state="closed"), part="as closed"
    ),
)
