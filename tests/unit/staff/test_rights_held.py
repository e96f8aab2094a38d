"""Rights are audited against the trail: whatever plain SQL granted or revoked is named."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.db import connection
from rest_framework.authtoken.models import Token

from lobby.models import Player
from tests.support.players import signed_up
from tests.support.sampling import one_of_each
from tests.support.staff import employ
from wallet.audit import audit
from wallet.audit_log.models import AuditEntry
from wallet.keys.api_tokens import token_text
from wallet.responsible_gaming import services as responsible_gaming
from wallet.responsible_gaming.models import Exclusion, Limit

pytestmark = pytest.mark.django_db


def audit_findings() -> list[tuple[str, str]]:
    return [(finding.check, finding.subject) for finding in audit.audit().differences]


@pytest.fixture
def people() -> dict[str, int]:
    """Make staff of every sort, a player with a token, and one with limits; nothing is amiss."""
    asha, bela = signed_up("asha"), signed_up("bela")
    helper, boss = employ("support"), employ("superuser")
    helper.user_permissions.add(Permission.objects.get(codename="view_dayhead"))
    Token.objects.create(user=asha)
    responsible_gaming.set_limit(user=asha, kind="entries", period="day", amount=5_000, currency="FUN")
    responsible_gaming.set_limit(user=asha, kind="entries", period="day", amount=9_000, currency="FUN")
    responsible_gaming.withdraw(user=asha, kind="entries", period="day", currency="FUN")
    responsible_gaming.exclude(user=asha, period="month")
    responsible_gaming.exclude(user=bela, period="ever", by=boss)
    responsible_gaming.lift(user=bela, by=boss)
    call_command("createsuperuser", "--noinput", username="made_by_command", email="")
    return {
        "asha": asha.pk, "bela": bela.pk, "helper": helper.pk, "boss": boss.pk,
        "limit": Limit.objects.get().pk, "exclusion": Exclusion.objects.get(user=asha).pk,
        "finance": Group.objects.get(name="finance").pk, "lifted": Exclusion.objects.get(user=bela).pk,
        "adjust": Permission.objects.get(codename="decide_adjustment").pk,
        "support": Group.objects.get(name="support").pk,
    }  # fmt: skip


TRIED: dict[str, tuple[str, str, str]] = {
    "a superuser": ("UPDATE lobby_player SET is_superuser = TRUE WHERE id = {asha}", "rights", "player {asha}"),
    "one of the staff": ("UPDATE lobby_player SET is_staff = TRUE WHERE id = {bela}", "rights", "player {bela}"),
    "a superuser no more": ("UPDATE lobby_player SET is_superuser = FALSE WHERE id = {boss}",
                            "rights", "player {boss}"),
    "in another role": (
        "INSERT INTO lobby_player_groups (player_id, group_id) VALUES ({helper}, {finance})",
        "rights", "player {helper}",
    ),
    "a right of their own": (
        "INSERT INTO lobby_player_user_permissions (player_id, permission_id) VALUES ({helper}, {adjust})",
        "rights", "player {helper}",
    ),
    "a role that may do more": (
        "INSERT INTO auth_group_permissions (group_id, permission_id) VALUES ({support}, {adjust})",
        "rights", "role support",
    ),
    "a role that may do less": ("DELETE FROM auth_group_permissions WHERE group_id = {support}",
                                "rights", "role support"),
    "a token put there": (
        "INSERT INTO authtoken_token (key, user_id, created) VALUES ('aaaa', {bela}, '2026-01-01 00:00:00+00:00')",
        "rights", "player {bela}",
    ),
    "a token exchanged": ("UPDATE authtoken_token SET key = 'bbbb'", "rights", "player {asha}"),
    "a token passed on": ("UPDATE authtoken_token SET user_id = {boss}", "rights", "player {boss}"),
    "a limit raised": ("UPDATE responsible_gaming_limit SET amount = 900000", "limit", "limit {limit}"),
    "a limit given to another": ("UPDATE responsible_gaming_limit SET user_id = {bela}", "limit", "limit {limit}"),
    "a limit removed": ("DELETE FROM responsible_gaming_limit", "limit", "limit {limit}"),
    "an exclusion removed": (
        "DELETE FROM responsible_gaming_exclusion WHERE id = {exclusion}", "exclusion", "exclusion {exclusion}",
    ),
    "an exclusion shortened": (
        "UPDATE responsible_gaming_exclusion SET until = '2027-01-01 00:00:00+00:00' WHERE id = {exclusion}",
        "exclusion", "exclusion {exclusion}",
    ),
    "an exclusion lifted earlier": (
        "UPDATE responsible_gaming_exclusion SET lifted_at = since WHERE id = {lifted}",
        "exclusion", "exclusion {lifted}",
    ),
    "an exclusion invented": (
        "INSERT INTO responsible_gaming_exclusion (id, user_id, since, until, by_staff)"
        " SELECT 901, {boss}, since, NULL, by_staff FROM responsible_gaming_exclusion WHERE id = {exclusion}",
        "exclusion", "exclusion 901",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", one_of_each(TRIED, lambda name: TRIED[name][1]))
def test_rights_changed_by_plain_sql_are_reported(name: str, people: dict[str, int]) -> None:
    statement, check, subject = TRIED[name]
    with connection.cursor() as cursor:
        cursor.execute(statement.format(**people))
        assert cursor.rowcount > 0
    assert audit_findings() == [(check, subject.format(**people))]


def test_rights_that_the_platform_gives_and_takes_are_acts(people: dict[str, int]) -> None:
    assert audit_findings() == []
    helper = Player.objects.get(pk=people["helper"])
    helper.groups.clear()
    Group.objects.get(name="finance").user_set.add(helper)
    helper.user_permissions.clear()
    helper.is_staff = False
    helper.save()
    Token.objects.all().delete()
    Token.objects.create(user_id=people["asha"])
    assert audit_findings() == []
    acts = AuditEntry.objects.filter(action="player.rights", target_id=str(helper.pk)).order_by("-pk")
    assert [act.after for act in acts[:4]] == [
        {"is_staff": False},
        {"user_permissions": []},
        {"groups": ["finance"]},
        {"groups": []},
    ]


def test_the_trail_reveals_no_token(people: dict[str, int]) -> None:
    row = Token.objects.get()
    entries: list[Any] = list(AuditEntry.objects.values_list())
    assert row.key not in str(entries) and token_text(row) not in str(entries)


def test_a_group_that_is_no_role_is_reported(people: dict[str, int]) -> None:
    group = Group.objects.create(name="friends of the house")
    assert audit_findings() == []
    group.user_set.add(people["asha"])
    assert audit_findings() == [("rights", "group friends of the house")]
