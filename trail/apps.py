from django.apps import AppConfig


class TrailConfig(AppConfig):
    name = "trail"
    verbose_name = "Audit trail"
    default_auto_field = "django.db.models.BigAutoField"
