from django.apps import AppConfig


class TrailConfig(AppConfig):
    name = "wallet.audit_log"
    label = "trail"
    verbose_name = "Audit trail"
    default_auto_field = "django.db.models.BigAutoField"
