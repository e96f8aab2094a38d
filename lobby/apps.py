from django.apps import AppConfig


class LobbyConfig(AppConfig):
    name = "lobby"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.db.models.signals import post_migrate

        from lobby.accounts import rights, signals
        from lobby.backoffice import (
            finished,  # noqa: F401  registers itself with the audit's witnesses
            rights_held,  # noqa: F401  registers itself with the audit
        )
        from lobby.backoffice.roles import ensure_roles

        signals.connect_signals()
        rights.follow_rights()
        post_migrate.connect(ensure_roles, sender=self, dispatch_uid="lobby.ensure_roles")
