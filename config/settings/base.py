"""Settings shared by production, the embedded default and tests."""

from pathlib import Path

from celery.schedules import crontab
from django.urls import reverse_lazy

from config.settings import variables
from wallet.language import ENGLISH

BASE_DIR = Path(__file__).resolve().parent.parent.parent

INSTALLED_APPS = [
    # Before django.contrib.auth, whose commands it extends.
    "lobby.commands",
    # Django's admin, as the staff site.
    "lobby.apps.StaffAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "wallet.apps.AuditLogConfig",
    "wallet.keys",
    "wallet.apps.ResponsibleGamingConfig",
    "wallet",
    "wallet.apps.MonthsConfig",
    "tables",
    "tables.fairness",
    "config.health",
    "lobby.apps.TwoFactorConfig",
    "lobby.ratings",
    "lobby.apps.CollusionConfig",
    "lobby.puzzles",
    "lobby.apps.LobbyConfig",
    "config",
]

MIDDLEWARE = [
    "config.logs.RequestIds",
    # Before the files, which say the same to browsers as pages do.
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.browser.headers.PermissionsPolicy",
    "config.browser.static_files.VersionedFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.browser.headers.PrivateAnswers",
    "lobby.accounts.devices.Devices",
    "lobby.two_factor.sessions.SecondFactorMiddleware",
    "config.language.Language",
    "config.browser.crowds.Crowds",
    "django.contrib.messages.middleware.MessageMiddleware",
    "config.errors.NotAllowed",
    "config.errors.Refusing",
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
                "config.language.language",
            ],
            # So no page of ours begins with `load`.
            "builtins": [
                *("django.templatetags.i18n", "django.templatetags.static", "wallet.templatetags.wallet_text"),
                *("tables.templatetags.tables_pages", "lobby.templatetags.lobby_text"),
            ],
        },
    }
]

AUTH_USER_MODEL = "lobby.Player"
LOGIN_URL = reverse_lazy("lobby:login")
LOGIN_REDIRECT_URL = reverse_lazy("lobby:lobby")
LOGOUT_REDIRECT_URL = reverse_lazy("lobby:lobby")
PASSWORD_HASHERS = ["lobby.accounts.hashing.Argon2InLane", "lobby.accounts.hashing.Pbkdf2InLane"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 8}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "lobby.accounts.passwords.NotTooLong"},
    {"NAME": "lobby.accounts.passwords.NotRelatedToSite"},
]

LANGUAGE_CODE = ENGLISH
#: Each language but English has a catalogue in `config/locale`: see the README there.
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
#: Whether changes of static files are noticed; otherwise they are read once, when the process starts.
WHITENOISE_AUTOREFRESH = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.browser.static_files.VersionedStorage"},
}

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

#: Before the name of every cookie. In production it makes browsers hold them to this host and to https.
COOKIE_PREFIX = ""
MESSAGE_STORAGE = "config.browser.headers.Messages"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_ENGINE = "wallet.keys.session_store"
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
    }
}

#: The counters of attempts: in the memory of this process, unless settings name a Redis.
CACHES = {"default": {"BACKEND": "config.caches.LocalCounts", "LOCATION": "counted"}}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "lobby.two_factor.services.SecondFactorTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["config.api.TranslatingRenderer"],
    "DEFAULT_PARSER_CLASSES": ["config.api.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": [
        "wallet.base.rate_limits.AccountThrottle",
        "wallet.base.rate_limits.AnonymousThrottle",
    ],
    # Low for an account, high for an address, which a whole mobile network may share.
    "DEFAULT_THROTTLE_RATES": {"user": "240/min", "anon": "1200/min", "sign-up": "60/min"},
    "EXCEPTION_HANDLER": "config.api.explain",
    # Forwarded addresses are read in config/proxy_headers.py, once for pages, API and sockets.
    "NUM_PROXIES": 0,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Rummy platform",
    "DESCRIPTION": "Lobby, seats, wallet, history and proofs. Play runs over the table socket: see /api/socket/. "
    "Deals as texts: see /api/notation/.",
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums", "config.api.describe_the_common"],
    "ENUM_NAME_OVERRIDES": {
        "PeriodEnum": ["day", "week", "month"],
        "LimitKindEnum": "lobby.responsible_gaming.views.KINDS",
        "TournamentKindEnum": ["knockout", "arena"],
        "TournamentStatusEnum": ["announced", "open", "running", "over", "cancelled"],
        "DailyStatusEnum": ["announced", "open", "over"],
        "DuplicateStatusEnum": ["open", "over"],
        "EntrantStatusEnum": ["in", "out", "left"],
        "ByEnum": ["player", "platform", "leaving"],
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    # Deep links would put a link into each button, which screen readers cannot reach.
    "SWAGGER_UI_SETTINGS": {"deepLinking": False},
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

#: Whether this is production: several processes, and settings that suit only a trial stop the start.
PRODUCTION = False
#: The name of the current key in messages.
KEY_NAME = "RUMMY_SECRET_KEY"
#: Keys that can open already, before any process seals with them.
NEXT_SECRET_KEYS: list[str] = []
#: The url of Redis; empty where everything is in one process.
REDIS_URL = ""
REDIS_PREFIX = ""
#: The number of our own proxies before a web process: that many addresses in X-Forwarded-For can be trusted.
PROXIES = variables.PROXIES.usual
#: Whether staff need a code of their authenticator app besides the password.
STAFF_TOTP = False
#: The token that /metrics requires in `Authorization: Bearer …`; if empty, it answers only this machine.
METRICS_TOKEN = ""
#: The time zone of the days in finance reports.
REPORT_ZONE = "Asia/Kolkata"
#: The function that names stakes and rule books for reports of the wallet, which knows neither.
PLACE_NAMES = "lobby.stakes.presenters.place_names"
#: Chips a new account receives, in chips.
SIGN_UP_CHIPS = 10_000
#: The level to which a player's fun chips, including those at tables, are filled up once a day, in chips.
REFILL_LEVEL = 10_000
#: Limits by day, week and month of a player who has set none: of a currency in smallest units, of time in minutes.
DEFAULT_LIMITS: dict[str, dict[str, int]] = {"FUN": {}, "time": {}}
#: Minutes of play after which the table reminds a player who has not chosen another time.
REMINDER_MINUTES = 60
#: The most that one person of finance may adjust for one player in a day, in smallest units; more needs a second.
ADJUSTMENT_LIMIT = {"FUN": 1_000}
#: The most that one person of finance may adjust in a day for all players together, credits plus debits.
ADJUSTMENT_DAY_LIMIT = {"FUN": 5_000}
#: Sockets that one address may have open at one web process: a whole campus may share one address.
SOCKETS_PER_ADDRESS = variables.SOCKETS_PER_ADDRESS.usual
#: E-mail is off. config/settings/mail.py says how it is switched on.
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
#: The folder where each mail is stored as a file.
EMAIL_FILE_PATH = ""
#: Seconds that a worker waits for the e-mail server.
EMAIL_TIMEOUT = 20
#: The origin of links in mails, which no request decides.
EMAIL_SITE = ""
#: The addresses to which the heads of the days go, once a day.
HEADS_TO: list[str] = []
#: Who runs the place and who answers complaints, by the names of config/settings/operator.py; and the age from which
#: one may play.
OPERATOR: dict[str, str] = {}
MINIMUM_AGE = variables.MINIMUM_AGE.usual
#: Seconds for which a link to set a new password is valid.
PASSWORD_RESET_TIMEOUT = 600
#: Retention times: of answers to requests; of the events of a finished deal in their own rows, before they are packed;
#: of the state of a closed table; and of packed events, from the closing of their table.
ANSWERS_KEPT_HOURS = variables.ANSWERS_KEPT_HOURS.usual
EVENTS_KEPT_HOURS = variables.EVENTS_KEPT_HOURS.usual
SNAPSHOTS_KEPT_DAYS = variables.SNAPSHOTS_KEPT_DAYS.usual
PACKED_EVENTS_KEPT_DAYS = variables.PACKED_EVENTS_KEPT_DAYS.usual
#: Days after which a guest who has finished no deal is deleted.
GUESTS_KEPT_DAYS = variables.GUESTS_KEPT_DAYS.usual
#: The currency of practice tables with computer players, and whether these are offered.
PRACTICE_CURRENCY = "FUN"
COMPUTER_PLAYERS = True
#: The factor on the time that computer players seem to think: 1 is a human pace, 0 is at once.
COMPUTER_PACE = 1.0

CELERY_TASK_ACKS_LATE = True
# Commands to workers by way of the broker are not signed as tasks are.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A Redis that is full refuses what it is told: a worker connects again until it is not, and lives on.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
# No limit: workers reconnect however long the broker was away.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "tables.tasks.sweep", "schedule": 1.0, "options": {"expires": 2}},
    "analyses": {"task": "tables.tasks.analyses", "schedule": 10.0, "options": {"expires": 10}},
    "release_seats": {"task": "tables.tasks.release_seats", "schedule": 30.0, "options": {"expires": 30}},
    "keep_tables": {"task": "lobby.tasks.keep_tables_open", "schedule": 5.0, "options": {"expires": 5}},
    "pack": {"task": "tables.tasks.pack", "schedule": crontab(minute=10), "options": {"expires": 3_000}},
    # Just after midnight in India: the deal of the day after is promised a day ahead.
    "make_days": {"task": "tables.tasks.make_days", "schedule": crontab(minute=31), "options": {"expires": 3_000}},
    "prune": {"task": "tables.tasks.prune", "schedule": crontab(hour=21, minute=30)},
    # Twenty past two at night in India.
    "sum_fairness": {"task": "tables.tasks.sum_fairness", "schedule": crontab(hour=20, minute=50)},
    "forget_guests": {"task": "lobby.tasks.forget_guests", "schedule": crontab(hour=21, minute=50)},
    "forget_invitations": {
        "task": "lobby.tasks.forget_invitations",
        "schedule": crontab(minute=25),
        "options": {"expires": 3_000},
    },
    "forget_sessions": {"task": "lobby.tasks.forget_sessions", "schedule": crontab(hour=21, minute=40)},
    "keep_puzzles": {"task": "lobby.tasks.keep_puzzles", "schedule": 300.0, "options": {"expires": 300}},
    "make_puzzles": {"task": "lobby.tasks.make_puzzles", "schedule": crontab(hour=20, minute=40)},
    "rate": {"task": "lobby.tasks.rate", "schedule": 10.0, "options": {"expires": 10}},
    "mend_ratings": {"task": "lobby.tasks.mend_ratings", "schedule": crontab(hour=22, minute=30)},
    # Half an hour at most, and over before other long tasks begin: a worker has few threads, and the sweep needs one.
    "look_at_pairs": {"task": "lobby.tasks.look_at_pairs", "schedule": crontab(hour=19, minute=50)},
    # Half past eight in India.
    "tell_staff": {"task": "lobby.tasks.tell_staff", "schedule": crontab(hour=3, minute=0)},
    # 22:00 UTC is half past three at night in India. The audit before each Monday covers what the nightly ones omit.
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
