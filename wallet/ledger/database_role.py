"""The privileges of the platform's own role in PostgreSQL: all that it needs, and none that rewrites the books.

The tables belong to the role that migrates. The role that serves may add transfers and postings but has no privilege
to change, delete or truncate them, nor to remove the triggers that forbid the same (see `triggers`).
"""

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

from wallet.base import triggers
from wallet.ledger.triggers import CLOSINGS, RECORDS, TABLES

#: The tables in which rows are only added.
ADDED_ONLY = (*TABLES[1:], *RECORDS, *CLOSINGS, *triggers.APPEND_ONLY)
#: The columns of an account that change; its trigger lets only transfers change them.
_CHANGING_COLUMNS = ("balance", "head")
_CHANGES = ("UPDATE", "DELETE", "TRUNCATE")


def grant(connection: BaseDatabaseWrapper, role: str, password: str = "") -> None:
    """Create the role if it does not exist, let it log in if a password is given, and grant exactly its privileges.

    Run as the owner of the tables, after every migration. All changes take effect at once, so sessions of the role
    never miss a privilege. Database errors are raised as Django's.
    """
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        exists = cursor.fetchone() is not None
        cursor.execute("SELECT current_database(), current_schema()")
        database, schema = cursor.fetchone()
        for statement in _role_statements(role, password, database, schema, exists=exists):
            cursor.execute(statement.as_string(cursor.connection))


def why_unbound(connection: BaseDatabaseWrapper, role: str | None = None) -> str:
    """Return why privileges do not bind that role, by default the current one; empty where they do.

    The reason is "a superuser" or "the owner of the tables".
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT r.rolsuper, pg_has_role(r.oid, t.relowner, 'USAGE') FROM pg_roles r, pg_class t"
            " WHERE r.rolname = COALESCE(%s, current_user) AND t.oid = %s::regclass",
            [role, TABLES[0]],
        )
        is_superuser, is_owner = cursor.fetchone() or (False, False)
    if is_superuser:
        return "a superuser"
    return "the owner of the tables" if is_owner else ""


def _role_statements(role: str, password: str, database: str, schema: str, *, exists: bool) -> list[sql.Composed]:
    name, in_schema = sql.Identifier(role), sql.Identifier(schema)
    login = sql.SQL(" LOGIN PASSWORD {}").format(sql.Literal(password)) if password else sql.SQL("")
    creation = [sql.SQL("CREATE ROLE {}").format(name)] if not exists else []
    if password:
        creation.append(sql.SQL("ALTER ROLE {}{}").format(name, login))
    tables = sql.SQL(", ").join(map(sql.Identifier, ADDED_ONLY))
    changes = sql.SQL(", ").join(map(sql.SQL, _CHANGES))
    columns = sql.SQL(", ").join(map(sql.Identifier, _CHANGING_COLUMNS))
    account = sql.Identifier(TABLES[0])
    return [
        *creation,
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(sql.Identifier(database), name),
        # Nobody here needs temporary tables, and without them none can hide a real one.
        sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC, {}").format(sql.Identifier(database), name),
        sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(in_schema, name),
        sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA {} FROM {}").format(in_schema, name),
        sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {} TO {}").format(in_schema, name),
        sql.SQL("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {} TO {}").format(in_schema, name),
        sql.SQL("REVOKE {} ON {} FROM {}").format(changes, tables, name),
        sql.SQL("REVOKE {} ON {} FROM {}").format(changes, account, name),
        sql.SQL("GRANT UPDATE ({}) ON {} TO {}").format(columns, account, name),
        sql.SQL("REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {}").format(name),
    ]
