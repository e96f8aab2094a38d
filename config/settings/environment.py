"""What the embedded default and production both read from the environment; they check it before they import this."""

from config import env
from config.settings import keys, mail, operator, production_checks, variables
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
MINIMUM_AGE = variables.MINIMUM_AGE()

CSRF_TRUSTED_ORIGINS = variables.TRUSTED_ORIGINS()
PROXIES = variables.PROXIES()
SOCKETS_PER_ADDRESS = variables.SOCKETS_PER_ADDRESS()
ANSWERS_KEPT_HOURS = variables.ANSWERS_KEPT_HOURS()
EVENTS_KEPT_HOURS = variables.EVENTS_KEPT_HOURS()
SNAPSHOTS_KEPT_DAYS = variables.SNAPSHOTS_KEPT_DAYS()
PACKED_EVENTS_KEPT_DAYS = variables.PACKED_EVENTS_KEPT_DAYS()
GUESTS_KEPT_DAYS = variables.GUESTS_KEPT_DAYS()
METRICS_TOKEN = variables.METRICS_TOKEN()
SECRET_KEY_FALLBACKS = keys.readable()
NEXT_SECRET_KEYS = variables.NEXT_SECRET_KEY()
DATA_DIR = production_checks.read_or_exit(lambda: env.folder(variables.DATA(str(BASE_DIR / "var"))))
DATABASES = {"default": database_settings(variables.DATABASE_URL(), DATA_DIR)}
CELERY_WORKER_POOL = "threads"
