"""Settings of production: several processes on PostgreSQL and Redis, from the environment alone, whose faults stop it.

config/deploy/README.md says what each variable means.
"""

from config import env, logs
from config.settings import demands, keys, mail, money, redis, retention
from config.settings.base import *  # noqa: F403
from config.settings.base import BASE_DIR
from config.settings.databases import database_settings

demands.check_demands()
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
_MAIL = mail.read_mail()
EMAIL_BACKEND = _MAIL.backend
EMAIL_HOST, EMAIL_PORT = _MAIL.host, _MAIL.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL.user, _MAIL.password
EMAIL_USE_TLS, EMAIL_USE_SSL = _MAIL.security == "starttls", _MAIL.security == "tls"
DEFAULT_FROM_EMAIL = SERVER_EMAIL = _MAIL.sender or "thirteen@localhost"
EMAIL_SITE = _MAIL.site

PRODUCTION = True
LOGGING = logs.settings(as_json=True, level=env.text("RUMMY_LOG_LEVEL", "INFO"))
DEBUG = False
SECRET_KEY = env.text("RUMMY_SECRET_KEY")
SECRET_KEY_FALLBACKS = keys.readable()
NEXT_SECRET_KEYS = keys.next_keys()
ALLOWED_HOSTS = env.words("RUMMY_ALLOWED_HOSTS")
CSRF_TRUSTED_ORIGINS = env.words("RUMMY_TRUSTED_ORIGINS")
PROXIES = env.integer("RUMMY_PROXIES", 0)
SOCKETS_PER_ADDRESS = env.integer("RUMMY_SOCKETS_PER_ADDRESS", 600)
ANSWERS_KEPT_HOURS = retention.answers_kept_hours()
EVENTS_KEPT_HOURS = retention.events_kept_hours()
SNAPSHOTS_KEPT_DAYS = retention.snapshots_kept_days()
PACKED_EVENTS_KEPT_DAYS = retention.packed_events_kept_days()
GUESTS_KEPT_DAYS = retention.guests_kept_days()
IDENTITIES_KEPT_DAYS = retention.identities_kept_days()
DATA_DIR = demands.read_or_exit(lambda: env.folder("RUMMY_DATA", BASE_DIR / "var"))
DATABASES = {"default": database_settings(env.text("RUMMY_DATABASE_URL"), DATA_DIR)}
keys.name_sessions(DATABASES["default"], SECRET_KEY)
REDIS_URL = env.text("RUMMY_REDIS_URL")
REDIS_PREFIX = redis.prefix(env.text("RUMMY_REDIS_PREFIX"), DATABASES["default"])
CHANNEL_LAYERS = redis.channel_layers(REDIS_URL, REDIS_PREFIX, [SECRET_KEY, *SECRET_KEY_FALLBACKS])
CACHES = redis.caches(REDIS_URL, REDIS_PREFIX)
CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_TRANSPORT_OPTIONS = redis.broker_options(REDIS_PREFIX)
CELERY_WORKER_POOL = "threads"
COMPUTER_PLAYERS = env.flag("RUMMY_COMPUTER_PLAYERS", True)
STAFF_TOTP = env.flag("RUMMY_STAFF_TOTP", True)
METRICS_TOKEN = env.text("RUMMY_METRICS_TOKEN")

SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
SECURE_SSL_REDIRECT = env.flag("RUMMY_SSL_REDIRECT", True)
SECURE_HSTS_SECONDS = 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
