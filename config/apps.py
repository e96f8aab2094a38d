"""The configuration as an application of Django's."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Whoever sends a task, a test included, sends it to this project's broker: Celery's default is another one.
        import config.celery  # noqa: F401
