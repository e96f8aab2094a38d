"""What staff may offer as stakes, and the terms that the engine gets."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from config.process import demo
from lobby.models import Player, Stake
from lobby.stakes import open_tables
from rules import game
from rules.books import BOOKS
from rules.game.state import Clocks
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.stakes import StakeFactory
from wallet.ledger import selectors as ledger

pytestmark = pytest.mark.django_db

POOL = {"book": "standard-pool-101", "point_value": None, "entry": 100}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"book": "no-such-book"}, "book"),
        ({"seats": 1}, "seats"),
        ({"seats": 7}, "seats"),
        ({"book": "standard-deals-3", "point_value": None, "entry": 5, "seats": 3}, "seats"),
        ({"point_value": None}, "point_value"),
        ({"point_value": 0}, "point_value"),
        ({"entry": 100}, "entry"),
        ({"point_value": 3, "minimum": 239}, "minimum"),
        ({"maximum": 79}, "maximum"),
        ({"point_value": 10**15 // 80 + 1}, "point_value"),
        ({**POOL, "seats": 6, "entry": 10**15 // 6 + 1}, "entry"),
        ({"minimum": 200, "maximum": 199}, "maximum"),
        ({**POOL, "entry": None}, "entry"),
        ({**POOL, "point_value": 1}, "point_value"),
        ({**POOL, "minimum": 100}, "minimum"),
        ({"fee_percent": 51}, "fee_percent"),
        ({"turn_seconds": 0}, "turn_seconds"),
        ({"currency": "EUR"}, "currency"),
    ],
)
def test_terms_that_the_book_does_not_allow_are_refused_at_their_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        StakeFactory.build(**changes).full_clean()
    assert field in refused.value.message_dict


@pytest.mark.parametrize(
    "changes",
    [
        {"seats": 7},
        {"point_value": None},
        {"entry": 5},
        {"minimum": 79},
        {"maximum": 79},
        {"minimum": 200, "maximum": 199},
        {"fee_percent": 51},
        {**POOL, "minimum": 100},
    ],
)
def test_the_database_refuses_invalid_terms(changes: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        StakeFactory(**changes)


def test_terms_are_converted_to_units_of_the_engine() -> None:
    terms = StakeFactory.build(point_value=3, seats=6, fee_percent=7, maximum=900, turn_seconds=12).terms()
    assert (terms.book, terms.book_version) == ("standard-points", BOOKS["standard-points"].version)
    assert (terms.point_value, terms.entry, terms.minimum, terms.maximum) == (3, 0, 240, 900)
    assert (terms.seats, terms.fee_percent) == (6, 7)
    assert terms.clocks == replace(Clocks(), turn=12_000)
    assert StakeFactory.build(start_seconds=7).terms().clocks == replace(Clocks(), start_two=7_000, start_more=7_000)


def test_an_entry_is_least_and_most_at_once() -> None:
    stake = StakeFactory.build(pool=True)
    assert (stake.least, stake.most) == (100, 100)
    assert (stake.terms().entry, stake.terms().point_value) == (100, 0)


def test_the_demo_offers_every_book_with_terms_the_engine_starts() -> None:
    demo.ensure_stakes()
    stakes = list(Stake.objects.all())
    assert {stake.book for stake in stakes} == set(BOOKS)
    for stake in stakes:
        stake.full_clean()
        assert game.start(stake.terms()).terms.seats == stake.seats
        assert stake.terms().clocks.result == 30_000, "long enough to read a result; the field's default stays"
    assert Stake._meta.get_field("result_seconds").default == 15


def test_the_demo_is_set_up_once_and_leaves_alone_what_staff_changed(sent: list[Any]) -> None:
    first = demo.ensure_demo()
    assert [name for name, _, _ in first] == ["asha", "ravi", "staff", "support", "operations", "finance"]
    Stake.objects.update(active=False)
    Stake.objects.filter(pk=Stake.objects.values("pk")[:1]).update(active=True)
    Player.objects.get(username="ravi").set_password("x")
    ravi = Player.objects.get(username="ravi")
    ravi.set_password("their own choice")
    ravi.save()
    count = Stake.objects.count()
    assert [name for name, _, _ in demo.ensure_demo()] == ["asha", "staff", "support", "operations", "finance"]
    assert (Stake.objects.count(), Stake.objects.filter(active=True).count()) == (count, 1)
    assert ledger.balances(ravi)[0]["free"] == 10_000


def test_every_demo_stake_has_a_table_to_sit_at(sent: list[Any]) -> None:
    demo.ensure_demo()
    demo.ensure_demo()
    counts = open_tables.counts(Stake.objects.values_list("pk", flat=True))
    assert {count.tables for count in counts.values()} == {1}
    assert len(counts) == Stake.objects.count()


def test_production_gets_no_accounts_with_published_passwords(settings: Any) -> None:
    settings.SETTINGS_MODULE = "config.settings.production"
    with pytest.raises(ImproperlyConfigured):
        demo.ensure_demo()
    assert not Player.objects.exists()


def staff(**fields: Any) -> Client:
    client = Client()
    client.force_login(signed_up(is_staff=True, **fields))
    return client


CLOCKS = {name: getattr(Stake(), name) for name in (field.name for field in Stake._meta.fields) if "_seconds" in name}
TERMS = {"book": "lives-points", "seats": 4, "currency": "FUN", "point_value": 2, "fee_percent": 5}
FORM = {**TERMS, **CLOCKS, "start_seconds": "", "order": 1, "active": "on"}


def test_staff_put_a_stake_on_offer_and_see_its_terms(sent: list[Any], django_capture_on_commit_callbacks: Any) -> None:
    boss = staff(is_superuser=True)
    with django_capture_on_commit_callbacks(execute=True):
        answer = boss.post("/admin/lobby/stake/add/", FORM)
    assert answer.status_code == 302, answer.content
    stake = Stake.objects.get()
    assert ("lobby", {"type": "lobby.stake", "stake_id": stake.pk}) in sent
    assert [offer["book"] for offer in Program().get("lobby/")[1]["stakes"]] == ["lives-points"]
    page = boss.get(f"/admin/lobby/stake/{stake.pk}/change/").content.decode()
    assert "160 chips" in page
    assert "30 s after the second player" in page


def test_staff_see_at_the_field_what_is_wrong(sent: list[Any]) -> None:
    answer = staff(is_superuser=True).post("/admin/lobby/stake/add/", {**FORM, "entry": 100})
    assert answer.status_code == 200
    assert "This book has no entry" in answer.content.decode()
    assert not Stake.objects.exists()


def test_a_withdrawn_stake_leaves_the_lobby_and_stays_in_the_database(sent: list[Any]) -> None:
    stake = StakeFactory()
    boss = staff(is_superuser=True)
    boss.post(reverse("admin:lobby_stake_withdraw"), {"ids": stake.pk, "reason": "Nobody plays it"})
    assert Program().get("lobby/")[1]["stakes"] == []
    assert boss.post(f"/admin/lobby/stake/{stake.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Stake.objects.filter(pk=stake.pk, active=False).exists()


@pytest.fixture
def helper() -> Client:
    """Return the browser of somebody who may change players, and is no superuser."""
    person = signed_up("helper", is_staff=True)
    person.user_permissions.set(Permission.objects.filter(codename__in=["change_player", "view_player"]))
    client = Client()
    client.force_login(person)
    return client


def test_staff_cannot_extend_rights(helper: Client) -> None:
    player = signed_up("asha")
    fields = {"username": "asha", "is_staff": "on", "is_superuser": "on", "reason": "I want to"}
    assert helper.post(f"/admin/lobby/player/{player.pk}/change/", fields).status_code == 302
    player.refresh_from_db()
    assert (player.is_staff, player.is_superuser) == (False, False)


@pytest.mark.parametrize("whose", ["helper", "boss"])
def test_only_a_superuser_changes_an_account_of_the_staff_or_sets_its_password(helper: Client, whose: str) -> None:
    signed_up("boss", is_staff=True, is_superuser=True)
    page, new = f"/admin/lobby/player/{Player.objects.get(username=whose).pk}", "fresh quiet cards"
    assert helper.post(f"{page}/change/", {"username": "nobody", "reason": "Mine now"}).status_code == 403
    fields = {"password1": new, "password2": new, "usable_password": "true"}
    assert helper.post(f"{page}/password/", fields).status_code == 403
    kept = Player.objects.get(username=whose)
    assert not kept.check_password(new)


def test_staff_give_nobody_the_name_of_another_or_one_like_it() -> None:
    signed_up("Kala")
    player, boss = signed_up("ravi"), staff(is_superuser=True)
    page = f"/admin/lobby/player/{player.pk}/change/"
    for fields in ({"username": "KaIa"}, {"username": "ravi", "display_name": "Kala"}):
        answer = boss.post(page, {"reason": "They asked", **fields})
        assert "This name belongs to another player." in answer.content.decode(), fields
    new = {"username": "KaIa", "password1": "fresh quiet cards", "password2": "fresh quiet cards"}
    answer = boss.post("/admin/lobby/player/add/", {**new, "usable_password": "true"})
    assert "This name belongs to another player." in answer.content.decode()
    player.refresh_from_db()
    assert (player.username, player.display_name, Player.objects.filter(username="KaIa").exists()) == (
        "ravi",
        "",
        False,
    )
    assert boss.post(page, {"username": "ravi", "display_name": "Ravi", "reason": "They asked"}).status_code == 302


def test_locking_an_account_ends_tokens_and_sockets(sent: list[Any], django_capture_on_commit_callbacks: Any) -> None:
    player = signed_up("gone")
    program = Program(player)
    with django_capture_on_commit_callbacks(execute=True):
        staff(is_superuser=True).post("/admin/lobby/player/lock/", {"ids": player.pk, "reason": "Asked for it"})
    assert program.get("me/")[0] == 401
    assert (f"user.{player.pk}", {"type": "user.signed_out", "session": None}) in sent
