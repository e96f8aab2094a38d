from django.apps import AppConfig


class GatewaysConfig(AppConfig):
    name = "wallet.gateways"
    label = "gateways"
    verbose_name = "Deposits and withdrawals"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from wallet.gateways import audit, checks, vault  # noqa: F401  they register themselves
