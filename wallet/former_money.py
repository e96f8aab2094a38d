"""The real money of the releases before 1.0, which this one does not take over."""

from django.db.backends.base.base import BaseDatabaseWrapper

#: The tables of the former payments, those that refer to others first.
PAYMENTS = (
    *("gateways_suspenseitem", "gateways_event", "gateways_withdrawal", "gateways_deposit"),
    "gateways_identity",
)
#: What shows that a database was used for real money: rows of these tables that meet the condition.
_TRACES = {"wallet_account": "currency = 'INR'", "lobby_stake": "currency = 'INR'", **dict.fromkeys(PAYMENTS, "TRUE")}


def why_refused(connection: BaseDatabaseWrapper) -> str:
    """Return in a sentence why this release does not upgrade the database; empty where there was no real money."""
    there, found = set(connection.introspection.table_names()), []
    with connection.cursor() as cursor:
        for table, condition in _TRACES.items():
            if table in there:
                cursor.execute(f"SELECT COUNT(*) FROM {table} WHERE {condition}")  # noqa: S608
                if count := cursor.fetchone()[0]:
                    found.append(f"{table}: {count}")
    if not found:
        return ""
    return (
        f"The database was used for real money ({', '.join(found)}), and since release 1.0 there are chips alone:"
        " nothing was changed; keep the release before for it, or begin with a new database."
    )
