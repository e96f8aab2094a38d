"""The embedded default: one process, SQLite, memory layer, Celery worker in a thread. `manage.py play` runs this."""

# ruff: noqa: E402  What is wrong in the environment is told before anything is read from it.
from config import logs
from config.settings import keys, mail, production_checks, redis, variables

production_checks.check_readable()

from config.settings.base import *  # noqa: F403
from config.settings.environment import *  # noqa: F403
from config.settings.environment import DATA_DIR, DATABASES, EMAIL_HOST, SECRET_KEY_FALLBACKS

LOGGING = logs.settings(as_json=False)
if not EMAIL_HOST:
    EMAIL_BACKEND, EMAIL_FILE_PATH = mail.IN_FILES, str(DATA_DIR / "mail")
DEBUG = variables.DEBUG()
# Changed static files are noticed, so that an edit or an upgrade shows at the next reload.
WHITENOISE_AUTOREFRESH = True
COMPUTER_PACE = variables.COMPUTER_PACE_PERCENT() / 100
ALLOWED_HOSTS = variables.ALLOWED_HOSTS(["*"])
STAFF_TOTP = variables.STAFF_TOTP(False)

SECRET_KEY = variables.SECRET_KEY()
if not SECRET_KEY:
    SECRET_KEY = production_checks.read_or_exit(lambda: keys.local_secret(DATA_DIR, DATABASES["default"]))
    KEY_NAME = str(DATA_DIR / keys.FILE)
keys.name_sessions(DATABASES["default"], SECRET_KEY)

if variables.REDIS_URL():
    REDIS_URL = redis.verifying(variables.REDIS_URL())
    REDIS_PREFIX = redis.prefix(variables.REDIS_PREFIX(), DATABASES["default"])
    CHANNEL_LAYERS = redis.channel_layers(REDIS_URL, REDIS_PREFIX, [SECRET_KEY, *SECRET_KEY_FALLBACKS])
    CACHES = redis.caches(REDIS_URL, REDIS_PREFIX)
    CELERY_BROKER_URL = REDIS_URL
    CELERY_BROKER_TRANSPORT_OPTIONS = redis.broker_options(REDIS_PREFIX)
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "config.layers.LoopBoundInMemoryChannelLayer"}}
    CELERY_BROKER_URL = "memory://localhost//"
    # Without these an in-process worker receives its tasks up to a second late.
    CELERY_BROKER_TRANSPORT_OPTIONS = {"polling_interval": 0.02}
    CELERY_WORKER_TIMER_PRECISION = 0.02
    CELERY_WORKER_PREFETCH_MULTIPLIER = 0
