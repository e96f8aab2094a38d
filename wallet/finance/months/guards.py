"""Database triggers that protect closed months from every writer."""

# ruff: noqa: S608  Every part of these statements is written in this repository.
from wallet.base.triggers import HERE, Trigger, append_only

TABLE = "months_closedmonth"
#: Only a clock that was set back could date a posting into a closed month.
LATE = Trigger(
    "months_posting_late",
    "INSERT",
    "wallet_posting",
    f"EXISTS (SELECT 1 FROM {HERE}{TABLE} WHERE ends_at > NEW.created_at)",
    "nothing is posted into a closed month",
)
GUARDS = (*append_only(TABLE), LATE)
