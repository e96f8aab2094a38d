from django.apps import AppConfig


class WalletConfig(AppConfig):
    name = "wallet"

    def ready(self) -> None:
        from wallet.audit import admin as audit  # noqa: F401  beside `admin`, the only module that Django looks for
