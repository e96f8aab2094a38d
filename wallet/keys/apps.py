from django.apps import AppConfig


class KeysConfig(AppConfig):
    name = "wallet.keys"
    label = "keys"
    verbose_name = "Keys"
    default_auto_field = "django.db.models.BigAutoField"
