"""Two hundred requests, each sent twice, all at one moment: join, leave, add chips, settle, adjust.

No chip is made or lost, no balance falls below zero, every request has one answer and every key one posting.
"""

import random
import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Count, Sum

from lobby.stakes import services as stakes
from tables.errors import TableError
from tables.models import Deal, LoggedEvent, Seating
from tables.play.services import tick
from tests.support.steering import to_move
from tests.support.tables import Client
from tests.support.world import World, isolated_world
from wallet import adjustments
from wallet.audit.audit import audit
from wallet.audit_log.services import Actor
from wallet.base.errors import WalletError
from wallet.ledger.selectors import balances
from wallet.models import Account, AccountKind, Adjustment, Posting, Reason

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]

OF_A_SORT, THREADS, SIGNED_UP = 40, 24, 10_000
Request = Callable[[], Any]


def test_two_hundred_wishes_sent_twice_at_one_moment_keep_the_books() -> None:
    with isolated_world() as world:
        deals = drops_and_leaves(world)
        people = [world.person() for _ in range(OF_A_SORT)]
        requests = [*deals, *joins(world, people), *leaves(world), *additions(world), *adjustment_requests(people)]
        assert len(requests) == 200
        answers = send_twice(requests)
    refusals = {result for both in answers.values() for result in both if isinstance(result, str)}
    assert refusals == {"table_full", "insufficient_balance"}
    assert {number: both for number, both in answers.items() if granted(both[0]) != granted(both[1])} == {}
    ends = [both[0] for both in answers.values()]
    check_books()
    check_keys(ends)
    check_balances(people)


def drops_and_leaves(world: World) -> list[Request]:
    """Let one player drop while the other leaves, at twenty tables with cards dealt."""
    places = [world.table() for _ in range(OF_A_SORT // 2)]
    pairs = [[world.sit(place, amount=800) for _ in range(2)] for place in places]
    world.clock.wait(11)
    requests: list[Request] = []
    for place, pair in zip(places, pairs, strict=True):
        tick(table_id=place.pk)
        first = to_move(pair)
        other = pair[1 - pair.index(first)]
        requests += [frame(first, "drop"), frame(other, "leave")]
    return requests


def joins(world: World, people: list[Any]) -> list[Request]:
    """Let five players ask for the four seats of each table; those at the last four are about to lose their chips."""
    places = [world.table(seats=4) for _ in range(8)]
    return [
        partial(stakes.sit_at, table_id=places[number // 5].pk, user=user, amount=100)
        for number, user in enumerate(people)
    ]


def leaves(world: World) -> list[Request]:
    places = [world.table(seats=6) for _ in range(OF_A_SORT // 2)]
    return [frame(world.sit(place, amount=300), "leave") for place in places * 2]


def additions(world: World) -> list[Request]:
    """Add chips at each table; every fourth player asks for more than they have."""
    places = [world.table(seats=4) for _ in range(OF_A_SORT // 4)]
    return [
        frame(world.sit(place, amount=300), "add_chips", amount=9_701 if number % 4 == 3 else 9_700)
        for number, place in enumerate(places * 4)
    ]


def adjustment_requests(people: list[Any]) -> list[Request]:
    """Adjust each balance a little at once, or take nearly all of it with the approval of a second person."""
    second = get_user_model().objects.create(username="chief", is_staff=True)
    clerks = [get_user_model().objects.create(username=f"clerk{n}", is_staff=True) for n in range(OF_A_SORT)]

    def ask(number: int, amount: int) -> Adjustment:
        return adjustments.ask(
            request_id=f"wish{number}", player=people[number], currency="FUN", amount=amount, reason="A wish",
            actor=Actor(clerks[number].username, clerks[number]),
        )  # fmt: skip

    def approve(adjustment: Adjustment) -> Adjustment:
        return adjustments.grant(row=adjustment, reason="Seen", actor=Actor("chief", second))

    little: list[Request] = [partial(ask, n, 500 if n % 2 else -500) for n in range(OF_A_SORT // 2)]
    large = [ask(n, -(SIGNED_UP - 50)) for n in range(OF_A_SORT // 2, OF_A_SORT)]
    return [*little, *(partial(approve, adjustment) for adjustment in large)]


def frame(client: Client, kind: str, **fields: Any) -> Request:
    return lambda: client.send(kind, id="1", **fields)


def send_twice(requests: list[Request]) -> dict[int, list[Any]]:
    """Return the two answers to each request; threads start together and take the requests from one heap."""
    heap = [*range(len(requests))] * 2
    random.Random(13).shuffle(heap)
    answers: dict[int, list[Any]] = defaultdict(list)
    start = threading.Barrier(THREADS)

    def work() -> None:
        start.wait(60)
        try:
            while heap:
                try:
                    number = heap.pop()
                except IndexError:
                    return
                answers[number].append(answer(requests[number]))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {len(both) for both in answers.values()} == {2}
    return answers


def answer(request: Request) -> Any:
    """Return the answer to the request, repeated as long as others hold the lock on the table."""
    while (result := _once(request)) == "try_again":
        pass
    return result


def _once(request: Request) -> Any:
    try:
        result = request()
    except (TableError, WalletError) as refusal:
        return refusal.code
    except Exception as fault:
        return repr(fault)
    if isinstance(result, Seating):
        return ("seat", result.pk)
    return ("adjustment", result.pk, result.status) if isinstance(result, Adjustment) else result


def granted(result: Any) -> Any:
    """Return what was granted, or None: a request refused twice may have two different reasons."""
    return None if isinstance(result, str) else result


def check_books() -> None:
    assert audit().differences == []
    assert Account.objects.aggregate(Sum("balance")) == {"balance__sum": 0}
    made_of = Account.objects.exclude(kind=AccountKind.ISSUANCE)
    assert not made_of.filter(balance__lt=0).exists()
    signed_up = get_user_model().objects.exclude(is_staff=True).count() * SIGNED_UP
    adjusted = Adjustment.objects.filter(status="granted").aggregate(Sum("amount"))["amount__sum"]
    assert made_of.aggregate(Sum("balance")) == {"balance__sum": signed_up + adjusted}


def check_keys(ends: list[Any]) -> None:
    """Check that each reason has as many postings as requests were granted, each under a key of its own."""
    assert not Posting.objects.values("key").annotate(times=Count("pk")).filter(times__gt=1).exists()
    posted = Counter(Posting.objects.values_list("reason", flat=True))
    seated = [each for each in ends if isinstance(each, tuple) and each[0] == "seat"]
    adjusted = [each for each in ends if isinstance(each, tuple) and each[-1] == "granted"]
    added = LoggedEvent.objects.filter(kind="chips_added").count()
    assert len(set(seated)) == len(seated)
    assert posted[Reason.BUY_IN] == Seating.objects.count() == len(seated) + 3 * OF_A_SORT
    assert posted[Reason.ADJUST] == len(adjusted)
    assert posted[Reason.ADD_CHIPS] == added == OF_A_SORT * 3 // 4
    assert posted[Reason.DEAL] == Deal.objects.filter(status=Deal.Status.OVER).count() == OF_A_SORT // 2
    assert posted[Reason.CASH_OUT] == Seating.objects.exclude(freed_at=None).count() >= OF_A_SORT


def check_balances(people: list[Any]) -> None:
    """Check that nobody both sat down and lost what they paid with, and that no table holds more than four."""
    for user in people[OF_A_SORT // 2 :]:
        (balance,) = balances(user)
        assert (balance["free"], balance["in_play"]) in {(50, 0), (SIGNED_UP - 100, 100), (SIGNED_UP, 0)}
    full = Seating.objects.filter(freed_at=None).values("table").annotate(held=Count("pk")).filter(held__gt=4)
    assert not full.exists()
