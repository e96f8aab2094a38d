from django.apps import AppConfig


class CollusionConfig(AppConfig):
    name = "lobby.collusion"
    label = "collusion"
    verbose_name = "Playing together"
