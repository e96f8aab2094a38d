"""The apps of the wallet that tell Django more than their name."""

from django.apps import AppConfig


class AuditLogConfig(AppConfig):
    name = "wallet.audit_log"
    verbose_name = "Audit trail"


class ResponsibleGamingConfig(AppConfig):
    name = "wallet.responsible_gaming"
    verbose_name = "Playing with care"


class MonthsConfig(AppConfig):
    name = "wallet.finance.months"
    verbose_name = "Closed months"

    def ready(self) -> None:
        # Importing the module registers its checks.
        from wallet.finance.months import services  # noqa: F401
