from django.apps import AppConfig


class CareConfig(AppConfig):
    name = "wallet.responsible_gaming"
    label = "responsible_gaming"
    verbose_name = "Playing with care"
