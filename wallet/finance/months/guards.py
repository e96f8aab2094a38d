"""What the database itself keeps of closed months, whoever writes."""

# ruff: noqa: S608  Every part of these statements is written in this repository.
from wallet.base.triggers import HERE, Trigger, append_only

TABLE = "months_closedmonth"
#: A posting of a closed month would be one by a clock that was set back.
LATE = Trigger(
    "months_posting_late",
    "INSERT",
    "wallet_posting",
    f"EXISTS (SELECT 1 FROM {HERE}{TABLE} WHERE ends_at > NEW.created_at)",
    "nothing is posted into a closed month",
)
GUARDS = (*append_only(TABLE), LATE)
