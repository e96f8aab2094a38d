"""The embedded default: one process, SQLite, memory layer, Celery worker in a thread. `manage.py play` runs this."""

from config import env, logs
from config.settings import demands, keys, mail, money, redis, retention
from config.settings.base import *  # noqa: F403
from config.settings.base import BASE_DIR
from config.settings.databases import database_settings

demands.check_readable()
# The embedded default is a demonstration, where the test gateway is enough.
money.check_money(rehearsal=True)
_MONEY = money.read()
REAL_MONEY = _MONEY.real
MONEY_JURISDICTIONS = _MONEY.jurisdictions
MONEY_MINIMUM_AGE = _MONEY.minimum_age
MONEY_TERMS = _MONEY.terms
MONEY_GATEWAYS = _MONEY.gateways
MONEY_BANK_DETAILS = _MONEY.bank_details
TEST_GATEWAY_SECRET = _MONEY.test_secret
DEFAULT_LIMITS = _MONEY.limits
MONEY_DEPOSITS = _MONEY.deposits
MONEY_REHEARSAL = True

LOGGING = logs.settings(as_json=False)
DATA_DIR = demands.read_or_exit(lambda: env.folder("RUMMY_DATA", BASE_DIR / "var"))
_MAIL = mail.read_mail()
EMAIL_BACKEND = _MAIL.backend
EMAIL_HOST, EMAIL_PORT = _MAIL.host, _MAIL.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL.user, _MAIL.password
EMAIL_USE_TLS, EMAIL_USE_SSL = _MAIL.security == "starttls", _MAIL.security == "tls"
DEFAULT_FROM_EMAIL = SERVER_EMAIL = _MAIL.sender or "thirteen@localhost"
EMAIL_SITE = _MAIL.site
if not _MAIL.host:
    EMAIL_BACKEND, EMAIL_FILE_PATH = mail.IN_FILES, str(DATA_DIR / "mail")
DEBUG = env.flag("RUMMY_DEBUG")
# Changed static files are noticed, so that an edit or an upgrade shows at the next reload.
WHITENOISE_AUTOREFRESH = True
COMPUTER_PACE = env.integer("RUMMY_COMPUTER_PACE_PERCENT", 100) / 100
ALLOWED_HOSTS = env.words("RUMMY_ALLOWED_HOSTS", "*")
CSRF_TRUSTED_ORIGINS = env.words("RUMMY_TRUSTED_ORIGINS")
PROXIES = env.integer("RUMMY_PROXIES", 0)
SOCKETS_PER_ADDRESS = env.integer("RUMMY_SOCKETS_PER_ADDRESS", 600)
ANSWERS_KEPT_HOURS = retention.answers_kept_hours()
EVENTS_KEPT_HOURS = retention.events_kept_hours()
SNAPSHOTS_KEPT_DAYS = retention.snapshots_kept_days()
PACKED_EVENTS_KEPT_DAYS = retention.packed_events_kept_days()
GUESTS_KEPT_DAYS = retention.guests_kept_days()
IDENTITIES_KEPT_DAYS = retention.identities_kept_days()
STAFF_TOTP = env.flag("RUMMY_STAFF_TOTP")
METRICS_TOKEN = env.text("RUMMY_METRICS_TOKEN")
DATABASES = {"default": database_settings(env.text("RUMMY_DATABASE_URL"), DATA_DIR)}

SECRET_KEY = env.text("RUMMY_SECRET_KEY")
if not SECRET_KEY:
    SECRET_KEY = demands.read_or_exit(lambda: keys.local_secret(DATA_DIR, DATABASES["default"]))
    KEY_NAME = str(DATA_DIR / keys.FILE)
SECRET_KEY_FALLBACKS = keys.readable()
NEXT_SECRET_KEYS = keys.next_keys()
keys.name_sessions(DATABASES["default"], SECRET_KEY)

if env.text("RUMMY_REDIS_URL"):
    REDIS_URL = env.text("RUMMY_REDIS_URL")
    REDIS_PREFIX = redis.prefix(env.text("RUMMY_REDIS_PREFIX"), DATABASES["default"])
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
CELERY_WORKER_POOL = "threads"
