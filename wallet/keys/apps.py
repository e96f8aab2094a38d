from django.apps import AppConfig


class KeysConfig(AppConfig):
    name = "wallet.keys"
    label = "keys"
    verbose_name = "Keys"
