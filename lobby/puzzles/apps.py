from django.apps import AppConfig


class PuzzlesConfig(AppConfig):
    name = "lobby.puzzles"
    label = "puzzles"
    verbose_name = "Puzzles"
