"""Passwords are hashed in a lane: a few at a time, without a database connection, and 503 where too many wait."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher, get_hasher
from django.db import connection
from django.test import Client

from lobby.accounts import hashing, sign_in
from lobby.accounts.hashing import HashingLane
from lobby.accounts.recovery import codes
from lobby.models import Player
from tests.support.players import PASSWORD, signed_up
from tests.support.program import Program
from wallet.base.errors import TooBusy
from wallet.base.rate_limits import RateLimit

NEW = "fourteen louder cards"


@pytest.fixture
def cheap(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash as the product does, at little cost."""
    settings.PASSWORD_HASHERS = ["lobby.accounts.hashing.Argon2InLane", "lobby.accounts.hashing.Pbkdf2InLane"]
    monkeypatch.setattr(hashing.Argon2InLane, "memory_cost", 8)
    monkeypatch.setattr(hashing.Argon2InLane, "time_cost", 1)
    monkeypatch.setattr(hashing.Pbkdf2InLane, "iterations", 10)


@pytest.fixture
def busy_lane() -> Iterator[Callable[[int, float], HashingLane]]:
    """Make a lane of one thread, which is busy until the test is over."""
    release, begun = threading.Event(), threading.Event()
    workers: list[threading.Thread] = []

    def busy(waiting: int, patience: float) -> HashingLane:
        lane = HashingLane(1, waiting, patience)
        held = HashingLane.run

        def hold() -> None:
            begun.set()
            release.wait()

        workers.append(threading.Thread(target=lambda: _quietly(held, lane, hold)))
        workers[-1].start()
        assert begun.wait(10)
        return lane

    yield busy
    release.set()
    for worker in workers:
        worker.join(10)


def _quietly(run: Callable[..., Any], *arguments: Any) -> None:
    run(*arguments)
    connection.close()


@pytest.mark.django_db
def test_who_comes_to_a_full_queue_is_told_so_at_once(busy_lane: Callable[[int, float], HashingLane]) -> None:
    lane = busy_lane(0, 60.0)
    with pytest.raises(TooBusy):
        lane.run(lambda: "hash")


@pytest.mark.django_db
def test_who_has_waited_long_enough_is_told_so_and_nothing_is_hashed_for_them(
    busy_lane: Callable[[int, float], HashingLane],
) -> None:
    lane, hashed = busy_lane(1, 0.01), []
    for _ in range(3):
        with pytest.raises(TooBusy):
            lane.run(lambda: hashed.append("hash"))
    assert not hashed, "and each gave their place back"


@pytest.mark.django_db
def test_a_lane_gives_its_place_back_after_a_fault() -> None:
    lane = HashingLane(1, 0, 10)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            lane.run(lambda: 1 // 0)
    assert lane.run(lambda: "hash") == "hash"


def test_no_more_are_hashed_at_a_time_than_there_are_threads() -> None:
    most, now, both = [0], [0], threading.Barrier(2)
    lane, lock = HashingLane(2, 8, 10), threading.Lock()

    def work() -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        both.wait(10)
        with lock:
            now[0] -= 1

    callers = [threading.Thread(target=_quietly, args=(lane.run, work)) for _ in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(10)
    assert (most[0], now[0]) == (2, 0)


def _login_page(asha: Player) -> Any:
    return Client().post("/login/", {"username": "asha", "password": PASSWORD})


def _unknown(asha: Player) -> Any:
    return Client().post("/login/", {"username": "nobody", "password": PASSWORD})


def _api_login(asha: Player) -> Any:
    return Client().post("/api/auth/login/", {"username": "asha", "password": PASSWORD}, "application/json")


def _api_token(asha: Player) -> Any:
    return Client().post("/api/auth/token/", {"username": "asha", "password": PASSWORD}, "application/json")


def _admin(asha: Player) -> Any:
    Player.objects.filter(pk=asha.pk).update(is_staff=True)
    return Client().post("/admin/login/", {"username": "asha", "password": PASSWORD})


def _signup(asha: Player) -> Any:
    return Client().post("/signup/", {"username": "nila", "password": PASSWORD})


def _api_signup(asha: Player) -> Any:
    return Client().post("/api/auth/signup/", {"username": "nila", "password": PASSWORD}, "application/json")


def _guest(asha: Player) -> Any:
    guest = Client()
    guest.post("/play-now/")
    return guest.post("/signup/", {"username": "nila", "password": PASSWORD})


def _forgotten(asha: Player) -> Any:
    form = {"username": "asha", "code": codes.new_codes(asha)[0], "password": NEW}
    return Client().post("/login/forgotten/", form)


def _wrong_code(asha: Player) -> Any:
    return Client().post("/login/forgotten/", {"username": "asha", "code": "x", "password": NEW})


def _by_mail(asha: Player) -> Any:
    from django.contrib.auth.tokens import default_token_generator
    from django.utils.http import urlsafe_base64_encode

    page, uid = Client(), urlsafe_base64_encode(str(asha.pk).encode())
    form = page.get(f"/login/forgotten/{uid}/{default_token_generator.make_token(asha)}/")["Location"]
    return page.post(form, {"new_password1": NEW, "new_password2": NEW})


def _change(asha: Player) -> Any:
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    return _signed_in(asha).post("/account/password/", form)


def _change_of_staff(asha: Player) -> Any:
    Player.objects.filter(pk=asha.pk).update(is_staff=True)
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    return _signed_in(asha).post("/admin/password_change/", form)


def _boss(asha: Player) -> Client:
    Player.objects.filter(pk=asha.pk).update(is_staff=True, is_superuser=True)
    return _signed_in(asha)


def _set_by_staff(asha: Player) -> Any:
    form = {"password1": NEW, "password2": NEW, "usable_password": "true"}
    return _boss(asha).post(f"/admin/lobby/player/{asha.pk}/password/", form)


def _added_by_staff(asha: Player) -> Any:
    form = {"username": "nila", "password1": NEW, "password2": NEW, "usable_password": "true"}
    return _boss(asha).post("/admin/lobby/player/add/", form)


def _own_password(asha: Player) -> Any:
    return _signed_in(asha).post("/account/recovery-codes/", {"password": PASSWORD})


def _signed_in(asha: Player) -> Client:
    client = Client()
    client.force_login(asha)
    return client


DOORS = [
    _login_page, _unknown, _api_login, _api_token, _admin, _signup, _api_signup, _guest, _forgotten, _wrong_code,
    _by_mail, _change, _change_of_staff, _set_by_staff, _added_by_staff, _own_password,
]  # fmt: skip


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_hashes_in_the_lane_and_holds_no_connection_meanwhile(
    door: Callable[[Player], Any], cheap: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asha, held = signed_up("asha"), []
    run = hashing._LANE.run

    def watched(work: Callable[..., Any], *arguments: Any) -> Any:
        def look(*arguments: Any) -> Any:
            # In the lane's thread, while the caller waits.
            held.append(caller.connection is not None)
            return work(*arguments)

        caller = connection._connections[connection._alias]  # type: ignore[attr-defined]
        return run(look, *arguments)

    monkeypatch.setattr(hashing._LANE, "run", watched)
    assert door(asha).status_code in {200, 201, 302, 400}
    assert held
    assert not any(held)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_says_503_where_too_many_wait(
    door: Callable[[Player], Any], cheap: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asha = signed_up("asha")

    def full(*_: Any) -> None:
        raise TooBusy

    monkeypatch.setattr(hashing._LANE, "run", full)
    answer = door(asha)
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    if "json" in answer["Content-Type"]:
        assert answer.json()["code"] == "try_again"
    else:
        assert "Nothing was changed" in answer.content.decode()
    assert Player.objects.count() == 1 + (door is _guest)


@pytest.mark.django_db
@pytest.mark.parametrize(("door", "name"), [(_set_by_staff, "asha"), (_added_by_staff, "nila")])
def test_what_staff_set_is_hashed_once_and_opens_the_account(
    door: Callable[[Player], Any], name: str, cheap: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asha, hashed = signed_up("asha"), []
    run = hashing._LANE.run
    monkeypatch.setattr(hashing._LANE, "run", lambda *work: hashed.append(work[1]) or run(*work))
    answer = door(asha)
    assert (answer.status_code, answer.client.get("/account/").status_code) == (302, 200)
    assert hashed == [NEW]
    assert Player.objects.get(username=name).check_password(NEW)


@pytest.mark.django_db
def test_the_cost_is_the_least_that_owasp_recommends() -> None:
    decoded = hashing.Argon2InLane().decode(hashing.Argon2InLane().encode(PASSWORD, "saltsalt"))
    costs = decoded["variety"], decoded["memory_cost"], decoded["time_cost"], decoded["parallelism"]
    assert costs == ("argon2id", 19_456, 2, 1)


@pytest.mark.django_db
def test_a_hash_of_other_costs_is_made_anew_at_the_sign_in(cheap: None, monkeypatch: pytest.MonkeyPatch) -> None:
    asha = signed_up("asha")
    monkeypatch.setattr(Argon2PasswordHasher, "memory_cost", 64)
    former = Argon2PasswordHasher().encode(PASSWORD, "saltsaltsaltsaltsaltsalt")
    Player.objects.filter(pk=asha.pk).update(password=former)
    assert Program().post("auth/token/", {"username": "asha", "password": "wrong"})[0] == 400
    assert Player.objects.get(pk=asha.pk).password == former
    assert Program().post("auth/token/", {"username": "asha", "password": PASSWORD})[0] == 200
    now = Player.objects.get(pk=asha.pk).password
    assert get_hasher("default").decode(now)["memory_cost"] == 8
    assert Program().post("auth/token/", {"username": "asha", "password": PASSWORD})[0] == 200


@pytest.mark.django_db
def test_whose_hash_is_made_anew_in_their_session_stays_signed_in(cheap: None) -> None:
    asha = signed_up("asha")
    Player.objects.filter(pk=asha.pk).update(password=hashing.Pbkdf2InLane().encode(PASSWORD, "salt" * 6))
    client = _signed_in(Player.objects.get(pk=asha.pk))
    assert client.post("/account/recovery-codes/", {"password": PASSWORD}).status_code == 200
    assert Player.objects.get(pk=asha.pk).password.startswith("argon2")
    assert client.get("/account/").status_code == 200


@pytest.mark.django_db
def test_a_password_set_meanwhile_is_not_undone_by_a_new_hash_of_the_former(cheap: None) -> None:
    asha = signed_up("asha")
    Player.objects.filter(pk=asha.pk).update(password=hashing.Pbkdf2InLane().encode(PASSWORD, "salt" * 6))
    read_before = Player.objects.get(pk=asha.pk)
    fresh = Player.objects.get(pk=asha.pk)
    fresh.set_password(NEW)
    fresh.save()
    assert read_before.check_password(PASSWORD), "as it was when it was read"
    assert Player.objects.get(pk=asha.pk).check_password(NEW)


@pytest.mark.django_db
def test_right_passwords_are_counted_loosely_and_wrong_ones_use_none_of_that_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    signed_up("asha")
    monkeypatch.setattr(sign_in, "RIGHT_NAME", RateLimit("right-name", 3, 300))
    guesses = [PASSWORD, "wrong", "wrong", PASSWORD, "wrong", PASSWORD, PASSWORD, "wrong"]
    answers = [Program().post("auth/token/", {"username": "asha", "password": word})[0] for word in guesses]
    assert answers == [200, 400, 400, 200, 400, 200, 429, 429]
    assert Program().post("auth/token/", {"username": "ravi", "password": PASSWORD})[0] == 400


@pytest.mark.django_db
def test_who_is_told_to_try_again_has_not_used_up_a_try(cheap: None, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_up("asha")

    def full(*_: Any) -> None:
        raise TooBusy

    with monkeypatch.context() as busy:
        busy.setattr(hashing._LANE, "run", full)
        for _ in range(sign_in.PAIR.tries + 1):
            assert Program().post("auth/token/", {"username": "asha", "password": PASSWORD})[0] == 503
    assert Program().post("auth/token/", {"username": "asha", "password": PASSWORD})[0] == 200
