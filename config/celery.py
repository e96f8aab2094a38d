"""The Celery application: turn, extra-time, meld and result timers, and the one-second sweep."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")

app = Celery("rummy")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
