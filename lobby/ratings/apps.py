from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "lobby.ratings"
    label = "ratings"
    verbose_name = "Ratings"
