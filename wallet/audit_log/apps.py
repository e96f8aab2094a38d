from django.apps import AppConfig


class TrailConfig(AppConfig):
    name = "wallet.audit_log"
    label = "trail"
    verbose_name = "Audit trail"
