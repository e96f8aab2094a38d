from django.apps import AppConfig


class WalletConfig(AppConfig):
    name = "wallet"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from wallet.audit import admin as audit  # noqa: F401  beside `admin`, the only module that Django looks for
