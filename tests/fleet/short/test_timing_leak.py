"""The checker of timing detects a difference and no false one; sign-in does the same costly work for every name."""

import random
from typing import Any

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from lobby.accounts import services as accounts, sign_in
from tests.fleet import timing_leak

pytestmark = pytest.mark.django_db


def test_the_checker_sees_a_tenth_of_the_noise_and_nothing_where_nothing_is() -> None:
    chance = random.Random(5)
    same = [[chance.gauss(50, 5) for _ in range(1_000)] for _ in range(2)]
    assert abs(timing_leak.welch(*same)) < timing_leak.LIMIT
    slower = [value + 1.5 for value in same[1]]
    assert abs(timing_leak.welch(same[0], slower)) > timing_leak.LIMIT


def test_a_known_and_an_unknown_name_cost_the_same_work(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    accounts.sign_up(username="asha.real", password="a horse at the table 9")
    work: list[str] = []
    for name in ("encode", "verify"):
        real = getattr(Argon2PasswordHasher, name)
        monkeypatch.setattr(Argon2PasswordHasher, name, lambda *a, real=real, **k: work.append("hash") or real(*a, **k))
    counts = []
    for name in ("asha.real", "nobody.at.all"):
        work.clear()
        with CaptureQueriesContext(connection) as queries, pytest.raises(sign_in.SignInRefused) as refusal:
            sign_in.authenticate_player(RequestFactory().post("/"), username=name, password="a wrong guess")
        kinds = [query["sql"].split(" ")[0] for query in queries.captured_queries]
        counts.append((len(work), kinds, refusal.value.code, refusal.value.message, refusal.value.status))
    assert counts[0] == counts[1]
    assert counts[0][0] == 1
