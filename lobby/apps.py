"""The apps of the lobby that tell Django more than their name, and what is connected once all are loaded."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class StaffAdminConfig(AdminConfig):
    """Django's admin, on the site of staff."""

    default_site = "lobby.backoffice.site.StaffSite"


class TwoFactorConfig(AppConfig):
    """The second factor of staff, and sessions that end: a stolen password alone opens no staff page."""

    name = "lobby.two_factor"
    verbose_name = "Sign-in of staff"

    def ready(self) -> None:
        from lobby.two_factor.sessions import admits
        from tables.sockets import credentials

        credentials.require_of_staff(admits)


class CollusionConfig(AppConfig):
    name = "lobby.collusion"
    verbose_name = "Playing together"


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
