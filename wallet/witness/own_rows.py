"""The rows of the wallet that no longer change once they are over; tables and lobby register their own."""

from django.db.models import Q

from wallet.witness.finished_rows import FinishedRows, register_rows

_REQUEST = ("request", "player_id", "gateway", "currency", "amount", "asked_at")
_DECIDED = ("bank_reference", "confirmed_by_id", "confirmed_at", "decided_by_id", "decided_at", "decision")

register_rows(
    FinishedRows(
        "wallet.Adjustment",
        ("request", "player_id", "currency", "amount", "reason", "asked_by_id", "asked_at"),
        part="as asked for",
    ),
    FinishedRows(
        "wallet.Adjustment",
        ("status", "decided_by_id", "decided_at", "decision", "key"),
        ~Q(status="asked"),
        part="as decided",
    ),
    FinishedRows(
        "wallet.Freeze", ("since", "reason", "run_id", "lifted_at", "lifted_by_id", "note"), Q(lifted_at__isnull=False)
    ),
    FinishedRows(
        "wallet.ExportRecord",
        ("at", "by_id", "via", "first", "last", "currency", "format", "rows", "as_of", "digest"),
    ),
    FinishedRows(
        "gateways.Deposit",
        (*_REQUEST, "reference"),
        part="as asked for",
    ),
    FinishedRows("gateways.Deposit", _DECIDED, Q(status="done"), part="as done"),
    FinishedRows("gateways.Withdrawal", (*_REQUEST, "asked_by_id", "ending"), part="as asked for"),
    FinishedRows("gateways.Withdrawal", _DECIDED, Q(status__in=("paid", "came_back")), part="as paid"),
    FinishedRows(
        "gateways.SuspenseItem",
        (
            *("gateway", "currency", "amount", "arrival", "arrived_at", "why"),
            *("deposit_id", "event_id", "withdrawal_id", "noted_by_id"),
        ),
        part="as it arrived",
    ),
    FinishedRows(
        "gateways.SuspenseItem",
        ("player_id", "status", *_DECIDED),
        Q(status__in=("sent_back", "came_back")),
        part="as it ended",
    ),
    FinishedRows(
        "gateways.GatewayEvent",
        ("gateway", "event", "at", "kind", "reference", "amount", "currency", "digest", "outcome", "deposit_id"),
    ),
    FinishedRows("care.Change", ("user_id", "by_id", "at", "what")),
    FinishedRows(
        "witness.Acknowledgement",
        ("digest", "check_name", "subject", "message", "reason", "asked_by_id", "asked_at"),
        part="as asked for",
    ),
    FinishedRows(
        "witness.Acknowledgement",
        ("status", "decided_by_id", "decided_at", "decision"),
        ~Q(status="asked"),
        part="as decided",
    ),
)
