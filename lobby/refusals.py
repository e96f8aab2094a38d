"""Refusals of tables and wallet, as the lobby hands them on."""

from rules.errors import RulesError
from tables.errors import TableError
from wallet.base.errors import WalletError

#: What may refuse a seat. Anything else is a fault of ours.
REFUSALS = (TableError, WalletError, RulesError)

_ASKED_WRONGLY = {
    "below_minimum", "above_maximum", "bad_seat", "bad_amount", "invalid_amount",
    "bad_limit", "bad_period", "bad_reminder", "unknown_currency",
}  # fmt: skip
_NOT_THERE = {"not_found"}


def status_of(error: Exception) -> int:
    """400 for what was asked wrongly, 404 for what is not there, else the error's own status or 409."""
    code = getattr(error, "code", "")
    if code in _ASKED_WRONGLY:
        return 400
    if code in _NOT_THERE:
        return 404
    return int(getattr(error, "status", 409))
