from django.apps import AppConfig


class GatewaysConfig(AppConfig):
    name = "wallet.payments"
    label = "gateways"
    verbose_name = "Deposits and withdrawals"

    def ready(self) -> None:
        # They register themselves.
        from wallet.payments import audit  # noqa: F401
        from wallet.payments.identity import checks, declarations  # noqa: F401
