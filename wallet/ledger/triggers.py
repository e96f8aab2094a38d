"""Triggers by which the database itself keeps the books, whoever writes: written once, for SQLite and PostgreSQL.

Transfers and postings never change or vanish, every transfer continues the balances of both its accounts, and
a balance becomes what the account's latest transfer says and nothing else. A migration that changes one of
these tables calls `remove` before and `install` after: SQLite rebuilds a changed table without its triggers. Whoever
changes a guard adds a migration that does the same: the audit compares what stands with what is written here.

In PostgreSQL a guard names the schema of each table that it reads, and its path is fixed: otherwise a session could put
a temporary table of the same name in front of the real one, and the guard would believe that.
"""

# ruff: noqa: S608  Every part of these statements is written in this file.
from dataclasses import dataclass

from django.db.backends.base.base import BaseDatabaseWrapper

from wallet.audit_log.triggers import PATH

TABLES = ("wallet_account", "wallet_posting", "wallet_transfer")
#: What was signed, found and exported: rows are added, and that is all.
RECORDS = ("wallet_dayhead", "wallet_auditrun", "wallet_exportrecord")
#: Stands before each table that a condition reads, until it is known in which schema that lies.
_HERE = "@"


@dataclass(frozen=True, slots=True)
class Trigger:
    """Before `event` on `table`, whatever makes `condition` true is refused with `message`."""

    name: str
    event: str
    table: str
    condition: str
    message: str
    only_sqlite: bool = False


def _latest(account: str, what: str = "{balance}", before: str = "0") -> str:
    """SQL for what the account's latest transfer left, `before` where there is none. Three index look-ups."""
    sides = " UNION ALL ".join(
        f"SELECT MAX(id) AS id FROM {_HERE}wallet_transfer WHERE {side}_id = {account}" for side in ("debit", "credit")
    )
    left = what.format(balance=f"CASE debit_id WHEN {account} THEN debit_balance ELSE credit_balance END")
    newest = f"SELECT MAX(id) FROM ({sides}) AS sides"
    return f"COALESCE((SELECT {left} FROM {_HERE}wallet_transfer WHERE id = ({newest})), {before})"


def _account(column: str, side: str) -> str:
    return f"(SELECT {column} FROM {_HERE}wallet_account WHERE id = NEW.{side}_id)"


#: A balance and a head that no transfer has touched.
_UNTOUCHED = "'0'"
_IDENTITY = " OR ".join(f"NEW.{column} <> OLD.{column}" for column in ("id", "kind", "reference", "currency"))

_VANISH = "nothing vanishes from the books"

GUARDS = (
    *(Trigger(f"{table}_kept", "DELETE", table, "TRUE", _VANISH) for table in TABLES),
    *(Trigger(f"{table}_fixed", "UPDATE", table, "TRUE", "what was posted does not change") for table in TABLES[1:]),
    *(
        Trigger(f"{table}_{word}", event, table, "TRUE", "records are only added")
        for table in RECORDS
        for word, event in (("kept", "DELETE"), ("fixed", "UPDATE"))
    ),
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
        only_sqlite=True,
    ),
    # REPLACE takes rows away without asking the guards of DELETE.
    *(
        Trigger(
            f"{table}_placed",
            "INSERT",
            table,
            f"EXISTS (SELECT 1 FROM {_HERE}{table} WHERE id = NEW.id OR ({same}))",
            "no row takes the place of another",
            only_sqlite=True,
        )
        for table, same in (
            ("wallet_account", "kind = NEW.kind AND reference = NEW.reference AND currency = NEW.currency"),
            ("wallet_posting", "key = NEW.key"),
            ("wallet_transfer", "posting_id = NEW.posting_id AND line = NEW.line"),
        )
    ),
)


def install(connection: BaseDatabaseWrapper) -> None:
    """Afterwards every guard stands."""
    with connection.cursor() as cursor:
        for statement in _sqlite() if connection.vendor == "sqlite" else _postgresql(_schema(connection)):
            cursor.execute(statement)


def remove(connection: BaseDatabaseWrapper) -> None:
    """Afterwards no guard stands."""
    with connection.cursor() as cursor:
        for name, table in _triggers(connection).items():
            if connection.vendor == "sqlite":
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
            else:
                cursor.execute(f"DROP TRIGGER IF EXISTS {name} ON {table}; DROP FUNCTION IF EXISTS {name}()")


def missing(connection: BaseDatabaseWrapper) -> list[str]:
    """The names of guards that do not stand, are switched off, or say something else than here."""
    query = (
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        if connection.vendor == "sqlite"
        else "SELECT t.tgname, p.prosrc || array_to_string(p.proconfig, '; ')"
        " FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgenabled IN ('O', 'A') AND NOT t.tgisinternal"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        standing = dict(cursor.fetchall())
    return sorted(name for name, text in _texts(connection).items() if standing.get(name) != text)


def _texts(connection: BaseDatabaseWrapper) -> dict[str, str]:
    """What the database must hold of each guard: the whole trigger, or the body of its function and its path."""
    if connection.vendor == "sqlite":
        return dict(zip((guard.name for guard in GUARDS), _sqlite(), strict=True))
    schema = _schema(connection)
    bodies = {guard.name: _body(guard.condition, guard.message, schema) for guard in GUARDS if not guard.only_sqlite}
    bodies |= {f"{table}_full": _body("TRUE", _VANISH, schema) for table in (*TABLES, *RECORDS)}
    return {name: f"{body}search_path={PATH}" for name, body in bodies.items()}


def _schema(connection: BaseDatabaseWrapper) -> str:
    """Where the tables lie, as PostgreSQL quotes it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        return str(cursor.fetchone()[0])


def _triggers(connection: BaseDatabaseWrapper) -> dict[str, str]:
    if connection.vendor == "sqlite":
        return {guard.name: guard.table for guard in GUARDS}
    truncation = {f"{table}_full": table for table in (*TABLES, *RECORDS)}
    return {guard.name: guard.table for guard in GUARDS if not guard.only_sqlite} | truncation


def _sqlite() -> list[str]:
    return [
        f"CREATE TRIGGER {guard.name} BEFORE {guard.event} ON {guard.table} BEGIN"
        f" SELECT RAISE(ABORT, 'wallet: {guard.message}') WHERE {guard.condition.replace(_HERE, '')}; END"
        for guard in GUARDS
    ]


def _postgresql(schema: str) -> list[str]:
    rows = [
        f"{_function(guard.name, guard.condition, guard.message, schema)} CREATE TRIGGER {guard.name}"
        f" BEFORE {guard.event} ON {guard.table} FOR EACH ROW EXECUTE FUNCTION {schema}.{guard.name}()"
        for guard in GUARDS
        if not guard.only_sqlite
    ]
    # Guards of rows let TRUNCATE through.
    tables = [
        f"{_function(f'{table}_full', 'TRUE', _VANISH, schema)} CREATE TRIGGER {table}_full"
        f" BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {schema}.{table}_full()"
        for table in (*TABLES, *RECORDS)
    ]
    return [*rows, *tables]


def _function(name: str, condition: str, message: str, schema: str) -> str:
    """A function sees the rows that its own statement has already written, as SQLite's triggers do."""
    return (
        f"CREATE FUNCTION {schema}.{name}() RETURNS trigger LANGUAGE plpgsql SET search_path = {PATH}"
        f" AS $${_body(condition, message, schema)}$$;"
    )


def _body(condition: str, message: str, schema: str) -> str:
    return (
        f" BEGIN IF {condition.replace(_HERE, f'{schema}.')} THEN"
        f" RAISE EXCEPTION 'wallet: {message}' USING ERRCODE = 'integrity_constraint_violation'; END IF;"
        " RETURN NEW; END "
    )
