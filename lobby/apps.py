from django.apps import AppConfig


class LobbyConfig(AppConfig):
    name = "lobby"

    def ready(self) -> None:
        from django.db.models.signals import post_migrate

        from lobby.account_data import closing  # noqa: F401  registers itself with the audit
        from lobby.accounts import access, rights, signals
        from lobby.backoffice import audit  # noqa: F401  registers itself with the audit
        from lobby.backoffice.roles import ensure_roles

        signals.connect_signals()
        rights.connect_rights_signals()
        access.connect_access_signals()
        post_migrate.connect(ensure_roles, sender=self, dispatch_uid="lobby.ensure_roles")
