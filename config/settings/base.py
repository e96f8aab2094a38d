"""What every way of running has in common."""

from pathlib import Path

from celery.schedules import crontab
from django.urls import reverse_lazy

BASE_DIR = Path(__file__).resolve().parent.parent.parent

INSTALLED_APPS = [
    # Before those whose commands it puts into the trail.
    "wallet.audit_log",
    # Django's admin, as the site of staff.
    "lobby.backoffice.apps.StaffAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "wallet.keys",
    "wallet.responsible_gaming",
    "wallet",
    "wallet.witness",
    "wallet.finance.months",
    "wallet.payments",
    "tables",
    "config.health",
    "lobby.two_factor",
    "lobby",
    "config",
]

MIDDLEWARE = [
    "config.logs.RequestIds",
    "django.middleware.security.SecurityMiddleware",
    "config.browser.static_files.VersionedFiles",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "lobby.accounts.devices.Devices",
    "lobby.two_factor.sessions.SessionGuard",
    "config.language.middleware.Language",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.not_allowed.NotAllowed",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "lobby.context.player",
                "config.language.context.language",
            ],
            "builtins": ["django.templatetags.i18n", "tables.templatetags.language"],
        },
    },
]

AUTH_USER_MODEL = "lobby.Player"
LOGIN_URL = reverse_lazy("lobby:login")
LOGIN_REDIRECT_URL = reverse_lazy("lobby:lobby")
LOGOUT_REDIRECT_URL = reverse_lazy("lobby:lobby")
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 8}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "lobby.accounts.passwords.NotTooLong"},
    {"NAME": "lobby.accounts.passwords.NotRelatedToSite"},
]

LANGUAGE_CODE = "en"
#: Each but English is a catalogue in `config/locale`: see the README there.
LANGUAGES = [("en", "English"), ("hi", "हिन्दी")]
LOCALE_PATHS = [BASE_DIR / "config" / "locale"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
#: Whether static files are read as they are now; else as they were when the process began.
WHITENOISE_AUTOREFRESH = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.browser.static_files.VersionedStorage"},
}

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    },
}

#: Where tries are counted: by this process alone, until settings name a Redis.
CACHES = {"default": {"BACKEND": "config.caches.Alone", "LOCATION": "counted"}}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "lobby.two_factor.tokens.GuardedToken",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["config.api.Told"],
    "DEFAULT_PARSER_CLASSES": ["config.api.Json"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": [
        "wallet.base.throttling.AccountThrottle",
        "wallet.base.throttling.Stranger",
    ],
    # Accounts are held to theirs; an address may be that of a whole mobile network.
    "DEFAULT_THROTTLE_RATES": {"user": "240/min", "anon": "1200/min", "sign-up": "60/min", "webhook": "120/min"},
    "EXCEPTION_HANDLER": "config.api.explain",
    # Forwarded addresses are read in config/edge.py, once for pages, API and sockets.
    "NUM_PROXIES": 0,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Rummy platform",
    "DESCRIPTION": "Lobby, seats, wallet, history and proofs. Play runs over the table socket: see /api/socket/.",
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

#: Whether strangers play here: several processes, and no mercy for settings that suit a trial only.
PRODUCTION = False
#: What the present key is called where somebody is told of it.
KEY_NAME = "RUMMY_SECRET_KEY"
#: Keys that are readable before anybody seals with them.
NEXT_SECRET_KEYS: list[str] = []
#: Where Redis is; empty where everything is in one process.
REDIS_URL = ""
REDIS_PREFIX = ""
#: How many proxies of our own stand before a web process: that many addresses in X-Forwarded-For are true.
PROXIES = 0
#: Whether staff need a code of their authenticator app besides the password.
STAFF_TOTP = False
#: What `Authorization: Bearer …` must say for /metrics; empty: the address answers this machine only.
METRICS_TOKEN = ""
#: The zone whose days finance reports are made of.
REPORT_ZONE = "Asia/Kolkata"
#: What names stakes and rule books in reports: the wallet asks it, and knows neither.
PLACE_NAMES = "lobby.stakes.naming.place_names"
#: Taxes on rupees in whole percent, each rate from its first day on: GST that a fee holds, TDS on net winnings.
TAX_RATES = {
    "gst": [("2017-07-01", 18), ("2023-10-01", 28), ("2025-09-22", 40)],
    "tds": [("2023-04-01", 30)],
}
#: Chips a new account receives, in chips.
SIGN_UP_CHIPS = 10_000
#: Once a day a player's fun chips, those at tables included, are filled up to so many, in chips.
REFILL_LEVEL = 10_000
#: Limits of a player who has set none, by day, week and month: of a currency in smallest units, of time in minutes.
DEFAULT_LIMITS: dict[str, dict[str, int]] = {"FUN": {}, "INR": {}, "time": {}}
#: After how many minutes of play the table reminds a player who has chosen nothing else.
REMINDER_MINUTES = 60
#: What one person of finance may adjust for one player within a day, in smallest units; more needs a second person.
ADJUSTMENT_LIMIT = {"FUN": 1_000}
#: What one person of finance may adjust within a day for all players together, both ways added up.
ADJUSTMENT_DAY_LIMIT = {"FUN": 5_000}
#: Sockets that one address may have open at one web process: a whole campus may share one address.
SOCKETS_PER_ADDRESS = 600
#: Real money is off. config/settings/money.py says what switching it on takes.
REAL_MONEY = False
MONEY_JURISDICTIONS: list[str] = []
MONEY_MINIMUM_AGE = 0
MONEY_TERMS = "1"
MONEY_GATEWAYS: list[str] = []
MONEY_BANK_DETAILS = ""
#: What one deposit may be, in paise.
MONEY_DEPOSITS = {"least": 1_000, "most": 10_000_000}
TEST_GATEWAY_SECRET = ""
#: True where the test gateway may run: in tests and demonstrations.
MONEY_REHEARSAL = False
#: How long what is played keeps rows of its own: answers to requests, and the events of a deal that is over, which are
#: packed then; the state of a table that is closed; and packed events, from when their table was closed.
ANSWERS_KEPT_HOURS = 24
EVENTS_KEPT_HOURS = 12
SNAPSHOTS_KEPT_DAYS = 30
PACKED_EVENTS_KEPT_DAYS = 3_653
#: A guest who has finished no deal is forgotten after so many days.
GUESTS_KEPT_DAYS = 14
#: Whether practice tables with computer players are offered, and in which play money.
PRACTICE_CURRENCY = "FUN"
COMPUTER_PLAYERS = True
#: How long computer players seem to think: 1 is a human pace, 0 is at once.
COMPUTER_PACE = 1.0

CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Without end: however long it is away, they are there when it is back.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "tables.tasks.sweep", "schedule": 1.0, "options": {"expires": 2}},
    "release_seats": {"task": "tables.tasks.release_seats", "schedule": 30.0, "options": {"expires": 30}},
    "keep_tables": {"task": "lobby.tasks.keep_tables_open", "schedule": 5.0, "options": {"expires": 5}},
    "pack": {"task": "tables.tasks.pack", "schedule": crontab(minute=10), "options": {"expires": 3_000}},
    "prune": {"task": "tables.tasks.prune", "schedule": crontab(hour=21, minute=30)},
    "forget_guests": {"task": "lobby.tasks.forget_guests", "schedule": crontab(hour=21, minute=50)},
    "forget_sessions": {"task": "lobby.tasks.forget_sessions", "schedule": crontab(hour=21, minute=40)},
    # 22:00 UTC is half past three at night in India. What a night leaves out is looked at whole before each Monday.
    "audit_books": {
        "task": "wallet.tasks.audit_books",
        "schedule": crontab(hour=22, minute=0, day_of_week="mon-sat"),
        "kwargs": {"whole": False},
    },
    "audit_books_whole": {
        "task": "wallet.tasks.audit_books",
        "schedule": crontab(hour=22, minute=0, day_of_week="sun"),
        "kwargs": {"whole": True},
    },
    "audit_missed": {"task": "wallet.tasks.audit_missed", "schedule": 900.0, "options": {"expires": 900}},
}
