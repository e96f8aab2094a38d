"""Production starts from a complete environment only, and reports everything wrong with it at once."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from config.process import preflight
from config.settings import mail, operator, production_checks, variables

ROOT = Path(__file__).resolve().parents[3]
GOOD = {
    "DJANGO_SETTINGS_MODULE": "config.settings.production",
    "RUMMY_SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "RUMMY_ALLOWED_HOSTS": "rummy.test",
    "RUMMY_DATABASE_URL": "postgres://rummy:word@127.0.0.1:5432/rummy",
    "RUMMY_REDIS_URL": "redis://127.0.0.1:6379/0",
    "RUMMY_OPERATOR_NAME": "Thirteen Games Private Limited",
    "RUMMY_OPERATOR_ADDRESS": "13 MG Road, Bengaluru 560001",
    "RUMMY_OPERATOR_EMAIL": "hello@rummy.test",
    "RUMMY_COMPLAINTS_NAME": "Asha Rao",
    "RUMMY_COMPLAINTS_ADDRESS": "13 MG Road, Bengaluru 560001",
    "RUMMY_COMPLAINTS_CONTACT": "complaints@rummy.test",
}

WRONG = [
    ({"RUMMY_SECRET_KEY": ""}, "RUMMY_SECRET_KEY is not set"),
    ({"RUMMY_SECRET_KEY": "k3y!" * 8}, "RUMMY_SECRET_KEY is too weak"),
    ({"RUMMY_SECRET_KEY": "ab" * 40}, "RUMMY_SECRET_KEY is too weak"),
    ({"RUMMY_SECRET_KEY": "only-for-tests-" + "x" * 50}, "published example"),
    ({"RUMMY_SECRET_KEY": "django-insecure-" + GOOD["RUMMY_SECRET_KEY"]}, "published example"),
    ({"RUMMY_OLD_SECRET_KEYS": "short"}, "RUMMY_OLD_SECRET_KEYS is too weak"),
    ({"RUMMY_NEXT_SECRET_KEY": "short"}, "RUMMY_NEXT_SECRET_KEY is too weak"),
    ({"RUMMY_DATABASE_URL": "postgres://rummy@db.test/rummy?sslmode=strict"}, "must say sslmode once"),
    ({"RUMMY_DATABASE_URL": "postgres://rummy@db.test:port/rummy"}, "must read postgres://"),
    ({"RUMMY_REDIS_URL": "redis://cache.test:port/0"}, "is no address"),
    *(
        ({"RUMMY_REDIS_URL": url}, "with TLS and a password")
        for url in ("redis://cache.test/0", "rediss://cache.test/0", "redis://:word@cache.test/0", "redis://10.0.0.1/0")
    ),
    ({"RUMMY_REDIS_URL": "rediss://:word@cache.test/0?ssl_cert_reqs=none"}, "must not switch off the check"),
    ({"RUMMY_REDIS_PREFIX": "two words"}, "RUMMY_REDIS_PREFIX must be"),
    ({"RUMMY_METRICS_TOKEN": "1234"}, "RUMMY_METRICS_TOKEN is too short"),
    ({"RUMMY_ALLOWED_HOSTS": ""}, "RUMMY_ALLOWED_HOSTS is not set"),
    ({"RUMMY_ALLOWED_HOSTS": "rummy.test,*"}, "allows every name"),
    *(
        ({"RUMMY_ALLOWED_HOSTS": host}, f"RUMMY_ALLOWED_HOSTS has {host!r}")
        for host in (
            "https://rummy.test",
            "rummy.test/",
            "rummy.test:8000",
            "rummy test",
            "rummy..test",
            ".com",
            ".test",
            "-rummy.test",
            "*.rummy.test",
            "rummy_1.test",
            "[::1",
            "rümmy.test",
        )
    ),
    *(
        ({"RUMMY_TRUSTED_ORIGINS": origin}, "RUMMY_TRUSTED_ORIGINS")
        for origin in ("rummy.test", "https://rummy.test/", "https://[::1", "https://rummy.test:port", "https://a b")
    ),
    *(
        ({"RUMMY_SOCKETS_PER_ADDRESS": limit}, "RUMMY_SOCKETS_PER_ADDRESS must be")
        for limit in ("0", "-1", "many", "1.5", "00")
    ),
    *(
        ({name: number}, f"{name} must be a whole number")
        for name, number in (
            ("RUMMY_ANSWERS_KEPT_HOURS", "0"),
            ("RUMMY_EVENTS_KEPT_HOURS", "-1"),
            ("RUMMY_SNAPSHOTS_KEPT_DAYS", "a month"),
            ("RUMMY_PACKED_EVENTS_KEPT_DAYS", "89"),
            ("RUMMY_PACKED_EVENTS_KEPT_DAYS", "99999999"),
        )
    ),
    ({"RUMMY_EMAIL_HOST": "mail.test"}, "RUMMY_EMAIL_FROM does not read"),
    ({"RUMMY_EMAIL_HOST": "mail.test", "RUMMY_EMAIL_FROM": "Thirteen <a@b>"}, "does not read https://name"),
    ({"RUMMY_EMAIL_FROM": "a@b"}, "RUMMY_EMAIL_HOST names no server"),
    ({"RUMMY_HEADS_TO": "a@b.test"}, "RUMMY_EMAIL_HOST names no server"),
    ({"RUMMY_EMAIL_SECURITY": "some"}, "RUMMY_EMAIL_SECURITY must be one of"),
    ({"RUMMY_TRUSTED_ORIGINS": "http://rummy.test"}, "RUMMY_TRUSTED_ORIGINS"),
    ({"RUMMY_TRUSTED_ORIGINS": "https://*.test"}, "RUMMY_TRUSTED_ORIGINS"),
    ({"RUMMY_DATABASE_URL": ""}, "SQLite serves one process"),
    ({"RUMMY_DATABASE_URL": "sqlite:///var/rummy.sqlite3"}, "SQLite serves one process"),
    ({"RUMMY_REDIS_URL": ""}, "the layer in memory serves one process"),
    ({"RUMMY_REDIS_URL": "memory://"}, "the layer in memory serves one process"),
    ({"RUMMY_DEBUG": "1"}, "RUMMY_DEBUG is on"),
    ({"RUMMY_DEBUG": "perhaps"}, "RUMMY_DEBUG must be a yes or a no"),
    ({"RUMMY_SSL_REDIRECT": "perhaps"}, "RUMMY_SSL_REDIRECT must be a yes or a no"),
    ({"RUMMY_PROXIES": "-1"}, "RUMMY_PROXIES must be the number"),
    ({"RUMMY_PROXIES": "all"}, "RUMMY_PROXIES must be the number"),
    ({"RUMMY_LOG_LEVEL": "LOUD"}, "RUMMY_LOG_LEVEL must be one of"),
    *(({name: text}, f"{name} is not set") for name in operator.NEEDED for text in ("", " ")),
    ({"RUMMY_OPERATOR_EMAIL": "nobody"}, "RUMMY_OPERATOR_EMAIL has 'nobody'"),
    ({"RUMMY_OPERATOR_NAME": "x" * 201}, "RUMMY_OPERATOR_NAME must be one line"),
    ({"RUMMY_CERTIFICATE": "a\nb"}, "RUMMY_CERTIFICATE must be one line"),
    *(({"RUMMY_MINIMUM_AGE": age}, "RUMMY_MINIMUM_AGE must be") for age in ("12", "100", "old")),
    ({"RUMMY_SHUFFLE_SEED": "42"}, "can be foreseen"),
    ({"RUMMY_COMPUTER_PACE_PERCENT": "0"}, "no such variable"),
    ({"RUMMY_SECRET_KYE": "x"}, "no such variable"),
]


def faults_in(monkeypatch: pytest.MonkeyPatch, changes: dict[str, str]) -> list[str]:
    for name in [name for name in os.environ if name.startswith("RUMMY_")]:
        monkeypatch.delenv(name)
    for name, value in {**GOOD, **changes}.items():
        monkeypatch.setenv(name, value)
    return [fault for demand in production_checks.DEMANDS for fault in demand()]


def manage(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run a command under production settings, with no other RUMMY_ variable in its environment."""
    rest = {name: value for name, value in os.environ.items() if not name.startswith("RUMMY_")}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT, env={**rest, **GOOD, **changes}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize(("changes", "says"), WRONG)
def test_each_fault_is_reported_alone(monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], says: str) -> None:
    faults = faults_in(monkeypatch, changes)
    assert len([fault for fault in faults if says in fault]) == 1, faults
    assert all(name in fault for name in changes for fault in faults)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"RUMMY_DEBUG": "0"},
        {"RUMMY_ALLOWED_HOSTS": "rummy.test,.rummy.test,xn--rmmy-0ra.test,127.0.0.1,[::1],localhost"},
        {"RUMMY_SOCKETS_PER_ADDRESS": "1"},
        {"RUMMY_PROXIES": "2", "RUMMY_TRUSTED_ORIGINS": "https://www.rummy.test,https://rummy.test:8443"},
        {"RUMMY_OLD_SECRET_KEYS": GOOD["RUMMY_SECRET_KEY"][::-1], "RUMMY_REDIS_URL": "rediss://:word@cache.test/1"},
    ],
)
def test_a_complete_environment_has_no_fault(monkeypatch: pytest.MonkeyPatch, changes: dict[str, str]) -> None:
    assert faults_in(monkeypatch, changes) == []


def test_each_variable_is_declared_once_and_read_by_its_declaration() -> None:
    names = [variable.name for variable in variables.DECLARED]
    assert len(names) == len(set(names))
    read_by_name = re.compile(r"\benv\.(?:text|flag|integer|words)\(\"(?P<name>RUMMY_\w+)")
    elsewhere = {
        (path.name, found["name"])
        for path in (ROOT / "config").rglob("*.py")
        for found in read_by_name.finditer(path.read_text())
    }
    assert elsewhere == {("test.py", "RUMMY_TEST_DATABASE_URL")}


UNNAMED = dict.fromkeys(operator.NEEDED, "")


def test_who_starts_with_nothing_set_reads_all_that_is_missing_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = faults_in(monkeypatch, dict.fromkeys(GOOD, ""))
    needed = {*operator.NEEDED, *(name for name in GOOD if name.startswith("RUMMY_"))}
    assert [name for name in needed if not any(name in fault for fault in faults)] == []


@pytest.mark.parametrize(
    ("hosts", "missing"),
    [
        ("127.0.0.1", 0),
        ("localhost,127.0.0.1,[::1]", 0),
        ("127.0.0.1,rummy.test", len(operator.NEEDED)),
        ("rummy.test", len(operator.NEEDED)),
        ("192.168.1.7", len(operator.NEEDED)),
    ],
)
def test_a_site_that_others_reach_names_who_runs_it(monkeypatch: pytest.MonkeyPatch, hosts: str, missing: int) -> None:
    faults = faults_in(monkeypatch, {**UNNAMED, "RUMMY_ALLOWED_HOSTS": hosts})
    assert len(faults) == missing
    assert len(operator.unnamed()) == len(operator.NEEDED)


def test_a_site_that_only_this_machine_reaches_starts_and_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    faults_in(monkeypatch, UNNAMED)
    preflight.warn_of_operator()
    assert all(name in caplog.text for name in operator.NEEDED)
    caplog.clear()
    faults_in(monkeypatch, {})
    preflight.warn_of_operator()
    assert caplog.text == ""
    assert operator.read_operator()["officer"] == "Asha Rao"


@pytest.mark.slow
def test_a_bad_environment_ends_the_process_with_one_message() -> None:
    ended = manage("check", RUMMY_SECRET_KEY="short", RUMMY_REDIS_URL="", RUMMY_DEBUG="1")
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.startswith("Production does not start.")
    assert all(name in ended.stderr for name in ("RUMMY_SECRET_KEY", "RUMMY_REDIS_URL", "RUMMY_DEBUG"))
    assert "Traceback" not in ended.stderr


@pytest.mark.slow
def test_the_deployment_check_has_nothing_to_warn_of() -> None:
    checked = manage("check", "--deploy", "--fail-level", "WARNING")
    assert (checked.returncode, "no issues" in checked.stdout) == (0, True), checked.stderr


@pytest.mark.slow
def test_the_trial_does_not_run_in_production() -> None:
    refused = manage("play")
    assert refused.returncode == 1
    assert "play is the embedded trial" in refused.stderr


@pytest.mark.slow
def test_security_settings_are_on() -> None:
    lines = manage("diffsettings").stdout.splitlines()
    for line in ("STAFF_TOTP = True", "PRODUCTION = True", "SESSION_COOKIE_SECURE = True", "CSRF_COOKIE_SECURE = True",
                 "LANGUAGE_COOKIE_SECURE = True", "COOKIE_PREFIX = '__Host-'",
                 "SESSION_COOKIE_NAME = '__Host-sessionid'",
                 "CSRF_COOKIE_NAME = '__Host-csrftoken'", "LANGUAGE_COOKIE_NAME = '__Host-language'",
                 "SECURE_HSTS_SECONDS = 31536000", "SECURE_SSL_REDIRECT = True"):  # fmt: skip
        assert any(shown_line.startswith(line) for shown_line in lines), line
    assert not any(shown_line.startswith("DEBUG = True") for shown_line in lines)


def test_heads_are_mailed_to_addresses_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("HOST", "mail.test"), ("FROM", "a@b.test"), ("SITE", "https://a.test")):
        monkeypatch.setenv(f"RUMMY_EMAIL_{name}", value)
    monkeypatch.setenv("RUMMY_HEADS_TO", "a@b.test, c@d.test")
    assert mail.read_mail().heads_to == ["a@b.test", "c@d.test"]
    monkeypatch.setenv("RUMMY_HEADS_TO", "a@b.test, nobody")
    with pytest.raises(ValueError, match="RUMMY_HEADS_TO has 'nobody'"):
        mail.read_mail()
