"""Whether the time of a refused sign-in reveals that a name exists: Welch's t of known against unknown names."""

import gc
import random
import time
from statistics import fmean, median, variance

from django.core.cache import cache
from django.test import RequestFactory
from django.test.utils import override_settings

from lobby.accounts import services as accounts, sign_in
from tests.support.database import Figures, on_its_own

#: Refused sign-ins, half of them under a name that exists.
SIZE = 2_000
#: Above so many standard errors a difference is one that an attacker can use.
LIMIT = 4.5
#: The slowest of each kind are left out, in parts of all: they tell of the machine.
CUT = 0.1
_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]


def run(*, seed: int, size: int) -> Figures:
    """Time `size` sign-ins with production's password hasher, on a database of their own."""
    return on_its_own("timing_leak", play, seed, size)


def play(seed: int, size: int) -> Figures:
    chance = random.Random(seed)
    with override_settings(PASSWORD_HASHERS=_HASHERS):
        accounts.sign_up(username="somebody.real", password="a horse at the table 9")
        kinds = ["known", "unknown"] * (size // 2)
        chance.shuffle(kinds)
        seconds: dict[str, list[float]] = {"known": [], "unknown": []}
        gc.disable()
        for number, kind in enumerate(kinds):
            name = "somebody.real" if kind == "known" else f"nobody.{number:06}"
            seconds[kind].append(refused(name))
        gc.enable()
    known, unknown = (sorted(each)[: int(len(each) * (1 - CUT))] for each in (seconds["known"], seconds["unknown"]))
    t = welch(known, unknown)
    faults = [f"|t| is {abs(t):.1f}: the time tells who exists"] if abs(t) >= LIMIT else []
    middle = {"known_ms": round(median(known) * 1000, 3), "unknown_ms": round(median(unknown) * 1000, 3)}
    return {"sign_ins": len(kinds), "t": round(t, 2), **middle, "faults": faults}


def refused(name: str) -> float:
    """Return the seconds until a wrong password for that name is refused."""
    cache.clear()
    request = RequestFactory().post("/login/")
    began = time.perf_counter()
    try:
        sign_in.authenticate_player(request, username=name, password="a wrong guess of mine")
    except sign_in.SignInRefused:
        return time.perf_counter() - began
    raise AssertionError(f"{name} was let in")


def welch(first: list[float], second: list[float]) -> float:
    """Return the difference of the means in standard errors."""
    return (fmean(first) - fmean(second)) / ((variance(first) / len(first) + variance(second) / len(second)) ** 0.5)
