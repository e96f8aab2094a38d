from django.apps import AppConfig


class CareConfig(AppConfig):
    name = "wallet.responsible_gaming"
    label = "care"
    verbose_name = "Playing with care"
