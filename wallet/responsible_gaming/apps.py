from django.apps import AppConfig


class ResponsibleGamingConfig(AppConfig):
    name = "wallet.responsible_gaming"
    label = "responsible_gaming"
    verbose_name = "Playing with care"
