"""Several processes on PostgreSQL and Redis. Everything comes from the environment; what is missing stops the start."""

from django.core.exceptions import ImproperlyConfigured

from config import env, logs
from config.settings.base import *  # noqa: F403
from config.settings.databases import database


def _required(name: str) -> str:
    value = env.text(name)
    if not value:
        raise ImproperlyConfigured(f"{name} must be set in production")
    return value


LOGGING = logs.settings(as_json=True, level=env.text("RUMMY_LOG_LEVEL", "INFO"))
DEBUG = False
SECRET_KEY = _required("RUMMY_SECRET_KEY")
ALLOWED_HOSTS = env.words("RUMMY_ALLOWED_HOSTS")
CSRF_TRUSTED_ORIGINS = env.words("RUMMY_TRUSTED_ORIGINS")
DATA_DIR = env.folder("RUMMY_DATA", BASE_DIR / "var")  # noqa: F405
DATABASES = {"default": database(_required("RUMMY_DATABASE_URL"), DATA_DIR)}
_REDIS = _required("RUMMY_REDIS_URL")
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [_REDIS], "symmetric_encryption_keys": [SECRET_KEY]},
    }
}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": _REDIS}}
CELERY_BROKER_URL = _REDIS
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 120,
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
}
CELERY_WORKER_POOL = "threads"
COMPUTER_PLAYERS = env.flag("RUMMY_COMPUTER_PLAYERS", True)

SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
SECURE_SSL_REDIRECT = env.flag("RUMMY_SSL_REDIRECT", True)
SECURE_HSTS_SECONDS = 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.flag("RUMMY_BEHIND_PROXY") else None
