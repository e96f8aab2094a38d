from django.apps import AppConfig


class WitnessConfig(AppConfig):
    name = "wallet.witness"
    label = "witness"
    verbose_name = "Witnesses of the books"

    def ready(self) -> None:
        from wallet.witness import own_rows  # noqa: F401  registers them
