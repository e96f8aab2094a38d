from django.apps import AppConfig


class LobbyConfig(AppConfig):
    name = "lobby"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in, user_logged_out
        from django.db.models.signals import post_migrate

        from lobby.accounts.devices import signed_in
        from lobby.accounts.sign_out import close_sockets
        from lobby.backoffice.roles import ensure_roles
        from lobby.backoffice.services import note_sign_in

        user_logged_out.connect(close_sockets, dispatch_uid="lobby.close_sockets")
        user_logged_in.connect(note_sign_in, dispatch_uid="lobby.note_sign_in")
        user_logged_in.connect(signed_in, dispatch_uid="lobby.accounts.devices")
        post_migrate.connect(ensure_roles, sender=self, dispatch_uid="lobby.ensure_roles")
