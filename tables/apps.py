from django.apps import AppConfig


class TablesConfig(AppConfig):
    name = "tables"

    def ready(self) -> None:
        # They register themselves with the audit, the rows that it marks, the limits and the keys of the wallet.
        from tables.audit import balances, event_log, finished, rows, shoes, tournaments  # noqa: F401
        from tables.log import sealing  # noqa: F401
        from tables.play import playtime  # noqa: F401
