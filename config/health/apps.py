from django.apps import AppConfig


class HealthConfig(AppConfig):
    """The app for the platform's health: heartbeats, probes, metrics, and the page for staff."""

    name = "config.health"
    label = "health"
    verbose_name = "Running"

    def ready(self) -> None:
        from celery import signals

        # Whoever sends a task, a test included, sends it to this project's broker: Celery's default is another one.
        import config.celery  # noqa: F401

        # They register the check of the trail's end as well.
        from config.health import heartbeats

        signals.task_prerun.connect(heartbeats.task_began, dispatch_uid="health.task_began", weak=False)
        signals.task_postrun.connect(heartbeats.task_ended, dispatch_uid="health.task_ended", weak=False)
        signals.before_task_publish.connect(heartbeats.task_due, dispatch_uid="health.task_due", weak=False)
        signals.after_task_publish.connect(heartbeats.task_published, dispatch_uid="health.task_published", weak=False)
