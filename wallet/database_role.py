"""What the platform's own role may do in PostgreSQL: everything it needs, and nothing that rewrites the books.

The tables belong to the role that migrates. The role that serves may add transfers and postings but has no privilege
to change, delete or empty them: beside the guards (see `guards`), which it cannot take away either.
"""

from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

from wallet.guards import RECORDS, TABLES
from wallet.trail import guards as trail

#: Where rows are only added.
ADDED_ONLY = (*TABLES[1:], *RECORDS, *trail.TABLES)
#: What of an account changes: by transfers alone, as its guard sees to.
_OF_AN_ACCOUNT = ("balance", "head")
_CHANGES = ("UPDATE", "DELETE", "TRUNCATE")


def grant(connection: BaseDatabaseWrapper, role: str, password: str = "") -> None:
    """Afterwards the role exists, may log in with the password if one is given, and has just those privileges.

    Run as the owner of the tables, after every migration. Django's errors of the database pass.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        known = cursor.fetchone() is not None
        cursor.execute("SELECT current_database(), current_schema()")
        database, schema = cursor.fetchone()
        for statement in _statements(role, password, database, schema, known=known):
            cursor.execute(statement.as_string(cursor.connection))


def _statements(role: str, password: str, database: str, schema: str, *, known: bool) -> list[sql.Composed]:
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
        sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(of, name),
        sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA {} FROM {}").format(of, name),
        sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {} TO {}").format(of, name),
        sql.SQL("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {} TO {}").format(of, name),
        sql.SQL("REVOKE {} ON {} FROM {}").format(changes, tables, name),
        sql.SQL("REVOKE {} ON {} FROM {}").format(changes, account, name),
        sql.SQL("GRANT UPDATE ({}) ON {} TO {}").format(columns, account, name),
        sql.SQL("REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {}").format(name),
    ]
