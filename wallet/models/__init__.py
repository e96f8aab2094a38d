"""The models of the wallet: the books, what is kept about them, and the sums that are added up of them."""

from wallet.models.books import (
    HELD,
    HOUSE,
    LONGEST_KEY,
    MAY_BE_NEGATIVE,
    OF_TABLES,
    Account,
    AccountKind,
    Acknowledgement,
    Adjustment,
    AuditRun,
    DayHead,
    ExportRecord,
    Freeze,
    Posting,
    Reason,
    Transfer,
)
from wallet.models.sums import Closing, DaySum, FeeSum, PlaceSum

__all__ = [
    "HELD",
    "HOUSE",
    "LONGEST_KEY",
    "MAY_BE_NEGATIVE",
    "OF_TABLES",
    "Account",
    "AccountKind",
    "Acknowledgement",
    "Adjustment",
    "AuditRun",
    "Closing",
    "DayHead",
    "DaySum",
    "ExportRecord",
    "FeeSum",
    "Freeze",
    "PlaceSum",
    "Posting",
    "Reason",
    "Transfer",
]
