from django.apps import AppConfig


class LobbyConfig(AppConfig):
    name = "lobby"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_out

        from lobby.signing_out import close_sockets

        user_logged_out.connect(close_sockets, dispatch_uid="lobby.close_sockets")
