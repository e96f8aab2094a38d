"""What the platform's own role may do in PostgreSQL: everything it needs, and nothing that rewrites the books.

The tables belong to the role that migrates. The role that serves may add transfers and postings but has no privilege
to change, delete or empty them: beside the guards (see `guards`), which it cannot take away either.
"""

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

from wallet.base import triggers
from wallet.ledger.triggers import CLOSINGS, RECORDS, TABLES

#: Where rows are only added.
ADDED_ONLY = (*TABLES[1:], *RECORDS, *CLOSINGS, *triggers.APPEND_ONLY)
#: What of an account changes: by transfers alone, as its guard sees to.
_OF_AN_ACCOUNT = ("balance", "head")
_CHANGES = ("UPDATE", "DELETE", "TRUNCATE")


def grant(connection: BaseDatabaseWrapper, role: str, password: str = "") -> None:
    """Make the role if there is none, let it log in with the password if one is given, give it just those privileges.

    Run as the owner of the tables, after every migration. All of it shows at once: who is served by the role meanwhile
    never misses a privilege. Django's errors of the database pass.
    """
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        known = cursor.fetchone() is not None
        cursor.execute("SELECT current_database(), current_schema()")
        database, schema = cursor.fetchone()
        for statement in _role_statements(role, password, database, schema, known=known):
            cursor.execute(statement.as_string(cursor.connection))


def power(connection: BaseDatabaseWrapper, role: str | None = None) -> str:
    """Say why no privilege binds that role, by default the one that asks: it is "a superuser" or "the owner of the
    tables"; empty where privileges bind it.
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


def _role_statements(role: str, password: str, database: str, schema: str, *, known: bool) -> list[sql.Composed]:
    name, of = sql.Identifier(role), sql.Identifier(schema)
    login = sql.SQL(" LOGIN PASSWORD {}").format(sql.Literal(password)) if password else sql.SQL("")
    made = [sql.SQL("CREATE ROLE {}").format(name)] if not known else []
    if password:
        made.append(sql.SQL("ALTER ROLE {}{}").format(name, login))
    tables = sql.SQL(", ").join(map(sql.Identifier, ADDED_ONLY))
    changes = sql.SQL(", ").join(map(sql.SQL, _CHANGES))
    columns = sql.SQL(", ").join(map(sql.Identifier, _OF_AN_ACCOUNT))
    account = sql.Identifier(TABLES[0])
    return [
        *made,
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(sql.Identifier(database), name),
        # Nobody here needs temporary tables, and none can then stand in front of a real one.
        sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC, {}").format(sql.Identifier(database), name),
        sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(of, name),
        sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA {} FROM {}").format(of, name),
        sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {} TO {}").format(of, name),
        sql.SQL("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {} TO {}").format(of, name),
        sql.SQL("REVOKE {} ON {} FROM {}").format(changes, tables, name),
        sql.SQL("REVOKE {} ON {} FROM {}").format(changes, account, name),
        sql.SQL("GRANT UPDATE ({}) ON {} TO {}").format(columns, account, name),
        sql.SQL("REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {}").format(name),
    ]
