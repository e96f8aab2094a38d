from django.apps import AppConfig


class MonthsConfig(AppConfig):
    name = "wallet.finance.months"
    label = "months"
    verbose_name = "Closed months"

    def ready(self) -> None:
        # Importing the module registers its checks.
        from wallet.finance.months import services  # noqa: F401
