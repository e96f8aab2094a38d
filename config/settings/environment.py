"""What the embedded default and production both read from the environment; they check it before they import this."""

from config import env
from config.settings import keys, mail, operator, production_checks, retention
from config.settings.base import BASE_DIR
from config.settings.databases import database_settings

_MAIL = mail.read_mail()
EMAIL_BACKEND = _MAIL.backend
EMAIL_HOST, EMAIL_PORT = _MAIL.host, _MAIL.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL.user, _MAIL.password
EMAIL_USE_TLS, EMAIL_USE_SSL = _MAIL.security == "starttls", _MAIL.security == "tls"
DEFAULT_FROM_EMAIL = SERVER_EMAIL = _MAIL.sender or "thirteen@localhost"
EMAIL_SITE = _MAIL.site
HEADS_TO = _MAIL.heads_to

OPERATOR = operator.read_operator()
MINIMUM_AGE = operator.minimum_age()

CSRF_TRUSTED_ORIGINS = env.words("RUMMY_TRUSTED_ORIGINS")
PROXIES = env.integer("RUMMY_PROXIES", 0)
SOCKETS_PER_ADDRESS = env.integer("RUMMY_SOCKETS_PER_ADDRESS", 600)
ANSWERS_KEPT_HOURS = retention.answers_kept_hours()
EVENTS_KEPT_HOURS = retention.events_kept_hours()
SNAPSHOTS_KEPT_DAYS = retention.snapshots_kept_days()
PACKED_EVENTS_KEPT_DAYS = retention.packed_events_kept_days()
GUESTS_KEPT_DAYS = retention.guests_kept_days()
METRICS_TOKEN = env.text("RUMMY_METRICS_TOKEN")
SECRET_KEY_FALLBACKS = keys.readable()
NEXT_SECRET_KEYS = keys.next_keys()
DATA_DIR = production_checks.read_or_exit(lambda: env.folder("RUMMY_DATA", BASE_DIR / "var"))
DATABASES = {"default": database_settings(env.text("RUMMY_DATABASE_URL"), DATA_DIR)}
CELERY_WORKER_POOL = "threads"
