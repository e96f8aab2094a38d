from django.apps import AppConfig


class TablesConfig(AppConfig):
    name = "tables"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # They register themselves with the audit, the reports, the limits and the keys of the wallet.
        from tables.audit import balances as audit  # noqa: F401
        from tables.audit import (
            locations,  # noqa: F401
            playtime,  # noqa: F401
        )
        from tables.audit import rows as audit_rows  # noqa: F401
        from tables.play import sealing  # noqa: F401
