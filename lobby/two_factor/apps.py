from django.apps import AppConfig


class TwoFactorConfig(AppConfig):
    """The second factor of staff, and sessions that end: a stolen password alone opens no staff page."""

    name = "lobby.two_factor"
    label = "two_factor"
    verbose_name = "Sign-in of staff"

    def ready(self) -> None:
        from lobby.two_factor.sessions import admits
        from tables.sockets import credentials

        credentials.require_of_staff(admits)
