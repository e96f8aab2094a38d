"""Settings of the test run. RUMMY_TEST_DATABASE_URL puts the same tests on PostgreSQL."""

import tempfile
from pathlib import Path

from config import env
from config.settings.base import *  # noqa: F403
from config.settings.databases import database_settings

DATA_DIR = Path(tempfile.mkdtemp(prefix="rummy-test-"))
SECRET_KEY = "only-for-tests-" + "x" * 50
DEBUG = False
ALLOWED_HOSTS = ["*"]
DATABASES = {"default": database_settings(env.text("RUMMY_TEST_DATABASE_URL"), DATA_DIR)}
if "sqlite" in DATABASES["default"]["ENGINE"]:
    # A file, not memory: threads and the server for browser tests share it.
    DATABASES["default"]["TEST"] = {"NAME": DATA_DIR / "test.sqlite3"}
else:
    # A test may compute for long within its transaction.
    for option in ("pool", "options"):
        DATABASES["default"]["OPTIONS"].pop(option)
EMAIL_SITE = "http://testserver"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Each test client loads the middleware again; it need not scan all static files each time.
WHITENOISE_AUTOREFRESH = True
CHANNEL_LAYERS = {"default": {"BACKEND": "config.layers.LoopBoundInMemoryChannelLayer"}}
CELERY_BROKER_URL = "memory://localhost//"
