from django.apps import AppConfig


class AuditLogConfig(AppConfig):
    name = "wallet.audit_log"
    label = "audit_log"
    verbose_name = "Audit trail"
