"""Triggers of the ledger's tables, by which the database protects the books from every writer.

Transfers and postings are never changed or deleted, every transfer continues the balances of both its accounts, and a
balance only ever becomes that of the account's latest transfer. How triggers are written for a database, and what a
migration does about them, is in `wallet.base.triggers`.
"""

# ruff: noqa: S608  Every part of these statements is written in this file.
from wallet.base.triggers import HERE, SQLITE, Trigger, append_only, never_emptied, never_replaced

TABLES = ("wallet_account", "wallet_posting", "wallet_transfer")
#: Heads of days, audits and exports: rows are only added.
RECORDS = ("wallet_dayhead", "wallet_auditrun", "wallet_exportrecord")

#: Stored sums, which the audit checks.
CLOSINGS = ("wallet_closing", "wallet_daysum", "wallet_placesum", "wallet_feesum")


def _latest(account: str, expression: str = "{balance}", before: str = "0") -> str:
    """Return SQL for `expression` of the account's latest transfer, or for `before` without one. Three look-ups."""
    sides = " UNION ALL ".join(
        f"SELECT MAX(id) AS id FROM {HERE}wallet_transfer WHERE {side}_id = {account}" for side in ("debit", "credit")
    )
    value = expression.format(balance=f"CASE debit_id WHEN {account} THEN debit_balance ELSE credit_balance END")
    newest = f"SELECT MAX(id) FROM ({sides}) AS sides"
    return f"COALESCE((SELECT {value} FROM {HERE}wallet_transfer WHERE id = ({newest})), {before})"


def _account(column: str, side: str) -> str:
    return f"(SELECT {column} FROM {HERE}wallet_account WHERE id = NEW.{side}_id)"


#: Balance and head, joined, of an account without transfers.
_UNTOUCHED = "'0'"
_IDENTITY = " OR ".join(f"NEW.{column} <> OLD.{column}" for column in ("id", "kind", "reference", "currency"))

_VANISH = "nothing vanishes from the books"

TRIGGERS = (
    *(Trigger(f"{table}_kept", "DELETE", table, "TRUE", _VANISH) for table in TABLES),
    *(Trigger(f"{table}_fixed", "UPDATE", table, "TRUE", "what was posted does not change") for table in TABLES[1:]),
    *(never_emptied(table, _VANISH) for table in TABLES),
    *append_only(*RECORDS, message="records are only added"),
    Trigger("wallet_freeze_kept", "DELETE", "wallet_freeze", "TRUE", "records are only added"),
    Trigger(
        "wallet_freeze_fixed",
        "UPDATE",
        "wallet_freeze",
        "OLD.lifted_at IS NOT NULL OR NEW.since <> OLD.since OR NEW.reason <> OLD.reason",
        "a freeze is lifted once and else stays as it was",
    ),
    Trigger(
        "wallet_account_fixed",
        "UPDATE",
        "wallet_account",
        f"{_IDENTITY} OR COALESCE(NEW.owner_id, 0) <> COALESCE(OLD.owner_id, 0)",
        "an account stays whose and what it is",
    ),
    Trigger(
        "wallet_account_empty",
        "INSERT",
        "wallet_account",
        "NEW.balance <> 0 OR NEW.head <> ''",
        "an account starts at 0",
    ),
    Trigger(
        "wallet_account_balance",
        "UPDATE",
        "wallet_account",
        "(NEW.balance <> OLD.balance OR NEW.head <> OLD.head)"
        f" AND NEW.balance || NEW.head <> {_latest('NEW.id', '{balance} || seal', _UNTOUCHED)}",
        "a balance changes by transfers only",
    ),
    Trigger(
        "wallet_transfer_currency",
        "INSERT",
        "wallet_transfer",
        f"{_account('currency', 'debit')} <> {_account('currency', 'credit')}",
        "a transfer stays within one currency",
    ),
    Trigger(
        "wallet_transfer_players",
        "INSERT",
        "wallet_transfer",
        f"{_account('kind', 'debit')} = 'player' AND {_account('kind', 'credit')} = 'player'",
        "no player pays another",
    ),
    Trigger(
        "wallet_transfer_chain",
        "INSERT",
        "wallet_transfer",
        f"NEW.debit_balance <> {_latest('NEW.debit_id')} - NEW.amount"
        f" OR NEW.credit_balance <> {_latest('NEW.credit_id')} + NEW.amount",
        "a transfer continues the balances of its accounts",
    ),
    Trigger(
        "wallet_transfer_whole",
        "INSERT",
        "wallet_transfer",
        " OR ".join(f"typeof(NEW.{column}) <> 'integer'" for column in ("amount", "debit_balance", "credit_balance")),
        "amounts are whole",
        only=SQLITE,
    ),
    *(
        never_replaced(table, same, "no row takes the place of another")
        for table, same in (
            ("wallet_account", "kind = NEW.kind AND reference = NEW.reference AND currency = NEW.currency"),
            ("wallet_posting", "key = NEW.key"),
            ("wallet_transfer", "posting_id = NEW.posting_id AND line = NEW.line"),
        )
    ),
    *append_only(*CLOSINGS, message="what was added up stays"),
)
