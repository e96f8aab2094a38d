from django.apps import AppConfig


class FairnessConfig(AppConfig):
    name = "tables.fairness"
    label = "fairness"
    verbose_name = "Fairness"
