"""Transactions that the database ends in favour of others are retried: nobody notices, and nothing is done twice."""

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from tests.support.books import seat
from tests.support.players import signed_up
from wallet.audit import audit
from wallet.base import retry
from wallet.base.retry import PATIENCE, PAUSE, retried
from wallet.ledger import selectors as ledger
from wallet.play_money import services as play_money

pytestmark = pytest.mark.databases

ROUNDS = 12


class Ended(Exception):
    """An error as the drivers report it: `sqlstate` of PostgreSQL, `sqlite_errorcode` of SQLite."""

    def __init__(self, *, sqlstate: str | None = None, sqlite_errorcode: int | None = None) -> None:
        self.sqlstate, self.sqlite_errorcode = sqlstate, sqlite_errorcode


def failing(times: int, cause: Exception, calls: list[int]) -> Callable[[], str]:
    @retried
    def service() -> str:
        calls.append(1)
        if len(calls) <= times:
            raise OperationalError("ended") from cause
        return "done"

    return service


class Pauses(list[float]):
    """The pauses between attempts, which pass at once; `attempt` is how many seconds each attempt takes."""

    now = 0.0
    attempt = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.append(seconds)
        self.now += seconds + self.attempt


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Pauses:
    pauses = Pauses()
    if "transactional_db" not in request.fixturenames:
        monkeypatch.setattr(retry, "time", pauses)
    return pauses


PASSING = [
    Ended(sqlstate="40001"),
    Ended(sqlstate="40P01"),
    Ended(sqlstate="25P03"),
    Ended(sqlite_errorcode=sqlite3.SQLITE_BUSY),
    Ended(sqlite_errorcode=sqlite3.SQLITE_BUSY_SNAPSHOT),
    Ended(sqlite_errorcode=sqlite3.SQLITE_LOCKED_SHAREDCACHE),
]


@pytest.mark.parametrize("cause", PASSING)
def test_a_passing_failure_is_overcome(cause: Exception) -> None:
    calls: list[int] = []
    assert failing(10, cause, calls)() == "done"
    assert len(calls) == 11


@pytest.mark.parametrize("attempt", [0.001, 0.1, 2.0])
def test_the_patience_has_an_end(attempt: float, pauses: Pauses) -> None:
    pauses.attempt = attempt
    calls: list[int] = []
    with pytest.raises(OperationalError):
        failing(1_000_000, PASSING[0], calls)()
    assert PATIENCE < pauses.now <= PATIENCE + attempt
    assert len(calls) >= 5


def test_pauses_become_as_long_as_all_that_was_before_them(pauses: Pauses, monkeypatch: pytest.MonkeyPatch) -> None:
    """So they exceed what the transactions take, however long that is."""
    monkeypatch.setattr(retry.random, "uniform", lambda least, most: most)
    pauses.attempt = 0.3
    with pytest.raises(OperationalError):
        failing(1_000_000, PASSING[0], [])()
    assert pauses[:5] == pytest.approx([PAUSE, 0.31, 0.92, 2.14, 4.58])


@pytest.mark.parametrize(
    "cause", [Ended(sqlstate="57P01"), Ended(sqlstate="55P03"), Ended(sqlite_errorcode=sqlite3.SQLITE_FULL), Ended()]
)
def test_a_permanent_error_is_not_retried(cause: Exception) -> None:
    calls: list[int] = []
    with pytest.raises(OperationalError):
        failing(1, cause, calls)()
    assert len(calls) == 1


def test_no_other_error_is_tried_again() -> None:
    calls: list[int] = []

    @retried
    def service() -> None:
        calls.append(1)
        raise IntegrityError

    with pytest.raises(IntegrityError):
        service()
    assert len(calls) == 1


@pytest.mark.django_db
def test_inside_a_transaction_only_its_owner_can_begin_again() -> None:
    calls: list[int] = []
    with pytest.raises(OperationalError), transaction.atomic():
        failing(1, PASSING[0], calls)()
    assert len(calls) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("serializable", [False, True])
def test_payments_that_lock_crosswise_all_succeed_once(serializable: bool) -> None:
    """Each transaction posts twice, half of them in the other order: on PostgreSQL they deadlock.

    Of 3,840 at a load of 16 on two processors, one in a hundred took longer than 1.3 s, none longer than 2.8 s;
    the time taken falls off by a factor of ten a second, so that one fails by chance after 25 s far less than once in
    10^6 runs.
    """
    for number, name in enumerate(("asha", "bela", "chand", "devi"), start=1):
        seat(number, signed_up(name), 800)
    begun: list[str] = []
    together = threading.Barrier(4)

    @retried
    @transaction.atomic
    def pay(key: str, pairs: list[tuple[int, int]]) -> None:
        begun.append(key)
        if connection.vendor == "postgresql":
            level = "SERIALIZABLE" if serializable else "READ COMMITTED"
            connection.cursor().execute(f"SET TRANSACTION ISOLATION LEVEL {level}")
            connection.cursor().execute("SET LOCAL deadlock_timeout = 10")
        for winner, loser in pairs:
            play_money.settle_deal(key=f"{key}:{winner}", currency="FUN", winner=winner, losses={loser: 1}, fee=0)

    def work(worker: int) -> None:
        try:
            for number in range(ROUNDS):
                together.wait(60)
                pairs = [(1, 2), (3, 4)]
                pay(f"{worker}:{number}", pairs if worker % 2 else pairs[::-1])
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert [ledger.stack(number) for number in (1, 2, 3, 4)] == [848, 752, 848, 752]
    assert len(set(begun)) == 4 * ROUNDS
    if connection.vendor == "postgresql":
        assert len(begun) > 4 * ROUNDS, "no transaction was ended: the test has tested nothing"
    assert audit.audit().differences == []
