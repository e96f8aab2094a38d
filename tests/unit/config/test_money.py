"""Real money is off; with it on, the platform starts with everything it needs, or lists everything missing."""

import os
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.checks import run_checks

from config.settings import demands, money
from tests.support.payments import MONEY
from tests.unit.config.test_production import GOOD, ROOT

SECRET = "0123456789abcdefghijklmnopqrstuvwxyz"
COMPLETE = {
    "RUMMY_MONEY": "on",
    "RUMMY_MONEY_JURISDICTIONS": "IN-GA, IN-SK",
    "RUMMY_MONEY_MINIMUM_AGE": "18",
    "RUMMY_MONEY_LIMITS": "day=500000,month=5000000",
    "RUMMY_MONEY_GATEWAYS": "bank",
    "RUMMY_MONEY_BANK_DETAILS": "Thirteen Ltd, account 0011223344, IFSC ABCD0123456",
    "RUMMY_MONEY_TERMS": "2026-11",
}
#: What a trial takes for money that is none.
REHEARSED = {"RUMMY_MONEY_GATEWAYS": "test", "RUMMY_TEST_GATEWAY_SECRET": SECRET}
#: What is taken away or changed, and what is said of it.
WRONG = [
    ({"RUMMY_MONEY_JURISDICTIONS": ""}, "no permitted jurisdictions"),
    ({"RUMMY_MONEY_JURISDICTIONS": "Goa"}, "no ISO 3166 code"),
    ({"RUMMY_MONEY_JURISDICTIONS": "IN-GA,IN-XX"}, "IN-XX: no state"),
    ({"RUMMY_MONEY_JURISDICTIONS": "XX"}, "XX: no state"),
    ({"RUMMY_MONEY_MINIMUM_AGE": ""}, "no age check"),
    ({"RUMMY_MONEY_MINIMUM_AGE": "180"}, "beyond reason"),
    ({"RUMMY_MONEY_LIMITS": "day=500000,month=0"}, "by month"),
    ({"RUMMY_MONEY_DEPOSITS": "least=0"}, "between which nothing is"),
    ({"RUMMY_MONEY_DEPOSITS": "least=500,most=400"}, "between which nothing is"),
    ({"RUMMY_MONEY_DEPOSITS": "least=few"}, "must read like"),
    ({"RUMMY_MONEY_TERMS": ""}, "terms have no version"),
    ({"RUMMY_MONEY_TERMS": "x" * 21}, "nothing of it is cut off"),
    ({"RUMMY_MONEY_MINIMUM_AGE": "17"}, "below 18"),
    ({"RUMMY_MONEY_MINIMUM_AGE": "old"}, "must be a whole number"),
    ({"RUMMY_MONEY_LIMITS": ""}, "no default limits"),
    ({"RUMMY_MONEY_LIMITS": "day=lots"}, "must read like"),
    ({"RUMMY_MONEY_LIMITS": "year=5"}, "must read like"),
    ({"RUMMY_MONEY_GATEWAYS": ""}, "no payment gateway"),
    ({"RUMMY_MONEY_GATEWAYS": "cash"}, "which there is not"),
    ({"RUMMY_MONEY_BANK_DETAILS": ""}, "no bank account"),
    ({"RUMMY_MONEY": "perhaps"}, "must be a yes or a no"),
]
ALL_MISSING = [
    "no permitted jurisdictions", "no age check", "no default limits", "no payment gateway", "terms have no version",
]  # fmt: skip


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(*parts: dict[str, str]) -> None:
        for name in [name for name in os.environ if name.startswith("RUMMY_")]:
            monkeypatch.delenv(name)
        for part in parts:
            for name, value in part.items():
                monkeypatch.setenv(name, value)

    return put


def manage(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    rest = {name: value for name, value in os.environ.items() if not name.startswith("RUMMY_")}
    rest.pop("DJANGO_SETTINGS_MODULE", None)
    return subprocess.run(
        [sys.executable, *arguments], env={**rest, **changes}, cwd=ROOT, capture_output=True, text=True, timeout=60
    )


def test_money_is_off_by_default(environment: Any) -> None:
    environment()
    assert money.read().real is False
    assert money.money_faults(rehearsal=False) == []
    environment(GOOD)
    assert [fault for demand in demands.DEMANDS for fault in demand()] == []


def test_complete_settings_have_no_fault(environment: Any) -> None:
    environment(GOOD, COMPLETE)
    assert [fault for demand in demands.DEMANDS for fault in demand()] == []
    settings_read = money.read()
    assert settings_read.jurisdictions == ["IN-GA", "IN-SK"]
    assert settings_read.limits["INR"] == {"day": 500_000, "month": 5_000_000}


@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_each_missing_setting_is_reported(changes: dict[str, str], message: str, environment: Any) -> None:
    environment(GOOD, COMPLETE, changes)
    for faults in (money.money_faults(rehearsal=True), list(demands._money())):
        assert any(message in fault for fault in faults), faults


def test_all_missing_settings_are_reported_at_once(environment: Any) -> None:
    environment({"RUMMY_MONEY": "on"})
    faults = money.money_faults(rehearsal=True)
    assert [sentence for sentence in ALL_MISSING if not any(sentence in fault for fault in faults)] == []


def test_production_never_takes_the_test_gateway(environment: Any) -> None:
    environment(GOOD, COMPLETE, {"RUMMY_MONEY_GATEWAYS": "bank,test", "RUMMY_TEST_GATEWAY_SECRET": SECRET})
    assert ["published passwords" in fault for fault in money.money_faults(rehearsal=True)] == [True]
    environment(GOOD, COMPLETE, REHEARSED)
    assert money.money_faults(rehearsal=True) == []
    environment(GOOD, COMPLETE, {"RUMMY_MONEY_GATEWAYS": "test", "RUMMY_TEST_GATEWAY_SECRET": "short"})
    assert ["has no secret" in fault for fault in money.money_faults(rehearsal=True)] == [True]
    assert ["test gateway" in fault for fault in demands._money()] == [True]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("manage.py", "play"),
        ("manage.py", "check"),
        ("-c", "import config.asgi"),
        ("-m", "celery", "-A", "config", "worker", "--pool", "solo"),
    ],
)
def test_missing_settings_end_the_start_with_one_message(command: tuple[str, ...]) -> None:
    ended = manage(*command, RUMMY_MONEY="on")
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert [sentence for sentence in ALL_MISSING if sentence not in ended.stderr] == []


@pytest.mark.slow
def test_production_reports_them_with_other_faults() -> None:
    ended = manage("manage.py", "check", **{**GOOD, "RUMMY_MONEY": "on", "RUMMY_SECRET_KEY": ""})
    assert ended.returncode == 1
    assert [sentence for sentence in [*ALL_MISSING, "RUMMY_SECRET_KEY"] if sentence not in ended.stderr] == []


def test_the_checks_of_django_say_the_same(settings: Any) -> None:
    assert [message for message in run_checks() if "gateways" in (message.id or "")] == []
    settings.REAL_MONEY, settings.MONEY_TERMS = True, ""
    messages = " ".join(str(message.msg) for message in run_checks() if (message.id or "").startswith("gateways.E"))
    assert [sentence for sentence in ALL_MISSING if sentence not in messages] == []
    for name, value in MONEY.items():
        setattr(settings, name, value)
    assert [message for message in run_checks() if "gateways" in (message.id or "")] == []
    settings.PRACTICE_CURRENCY = "INR"
    settings.MONEY_REHEARSAL, settings.REPORT_ZONE = False, "Asia/Nowhere"
    messages = " ".join(str(message.msg) for message in run_checks())
    assert "computer players never play for money" in messages
    assert "the test gateway" in messages
    assert "'Asia/Nowhere'" in messages


def test_the_tests_themselves_run_without_money() -> None:
    assert django_settings.REAL_MONEY is False
