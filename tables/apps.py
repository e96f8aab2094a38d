from django.apps import AppConfig


class TablesConfig(AppConfig):
    name = "tables"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # They register themselves with the audit, the reports, the limits and the keys of the wallet.
        from tables import audit, audit_rows, places, playtime, sealing  # noqa: F401
