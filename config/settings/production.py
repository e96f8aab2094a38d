"""Settings of production: several processes on PostgreSQL and Redis, from the environment alone, whose faults stop it.

config/deploy/README.md says what each variable means.
"""

# ruff: noqa: E402  What is wrong in the environment is told before anything is read from it.
from config import logs
from config.settings import keys, production_checks, redis, variables

production_checks.check_demands()

from config.settings.base import *  # noqa: F403
from config.settings.environment import *  # noqa: F403
from config.settings.environment import DATABASES, SECRET_KEY_FALLBACKS

PRODUCTION = True
LOGGING = logs.settings(as_json=True, level=variables.LOG_LEVEL())
DEBUG = False
SECRET_KEY = variables.SECRET_KEY()
ALLOWED_HOSTS = variables.ALLOWED_HOSTS()
keys.name_sessions(DATABASES["default"], SECRET_KEY)
REDIS_URL = redis.verifying(variables.REDIS_URL())
REDIS_PREFIX = redis.prefix(variables.REDIS_PREFIX(), DATABASES["default"])
CHANNEL_LAYERS = redis.channel_layers(REDIS_URL, REDIS_PREFIX, [SECRET_KEY, *SECRET_KEY_FALLBACKS])
CACHES = redis.caches(REDIS_URL, REDIS_PREFIX)
CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_TRANSPORT_OPTIONS = redis.broker_options(REDIS_PREFIX)
COMPUTER_PLAYERS = variables.COMPUTER_PLAYERS()
STAFF_TOTP = variables.STAFF_TOTP()

COOKIE_PREFIX = "__Host-"
SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid"
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}csrftoken"
LANGUAGE_COOKIE_NAME = f"{COOKIE_PREFIX}language"
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
LANGUAGE_COOKIE_SECURE = True
SECURE_SSL_REDIRECT = variables.SSL_REDIRECT()
SECURE_HSTS_SECONDS = 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
