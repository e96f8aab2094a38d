"""Times on the pages of staff: in the report zone, with UTC under the pointer."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.test import Client

from config.health.models import Heartbeat
from lobby.models import Player
from tables.admin import MatchAdmin
from tables.models import Deal, Table
from tests.support.staff import browser_of
from tests.unit.audit.office import a_month_of_the_office
from wallet.audit import nightly
from wallet.audit_log.models import AuditEntry
from wallet.backoffice.read_only import ReadOnly
from wallet.models import Transfer
from wallet.responsible_gaming import services as responsible_gaming

pytestmark = pytest.mark.django_db

STAMPED = re.compile(r"<time datetime=\S+ title=\"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\">[^<]*</time>")
#: A moment with its hours, as Python, Django or the platform may write it.
MOMENT = re.compile(r"(?:20\d\d[- ,T]|[A-Z][a-z]{2,8}\.? \d)[^<>\"]{0,14}\d(?::\d\d| [ap]\.m\.)")


def bare_moments(page: str) -> list[str]:
    """Return the moments of a page that do not show UTC; what people have written into forms is not meant."""
    text = re.sub(r"<(pre|textarea|script)\b.*?</\1>|<[^>]*>", " ", STAMPED.sub(" ", page), flags=re.S)
    return MOMENT.findall(text)


def test_the_check_finds_moments_without_utc() -> None:
    for plain in ("Nov. 23, 2026, 4:05 p.m.", "23 Nov 2026, 16:05:07", "2026-11-23 16:05:07+00:00"):
        assert bare_moments(f"<p>{plain}</p>"), plain
        assert not bare_moments(
            f'<time datetime="2026-11-23T16:05:07" title="2026-11-23 16:05:07 UTC">{plain}</time>'
        ), plain


def test_every_page_of_a_row_shows_utc_with_its_moments(
    clients: Mapping[str, Client], samples: Mapping[str, Any]
) -> None:
    player = Player.objects.get(pk=samples["lobby.player"])
    responsible_gaming.set_limit(user=player, kind="entries", currency="FUN", period="day", amount=500)
    responsible_gaming.set_limit(user=player, kind="entries", currency="FUN", period="day", amount=5_000)
    responsible_gaming.exclude(user=player, period="month")
    boss = Player.objects.get(username="the_superuser")
    LogEntry.objects.log_actions(boss.pk, [player], CHANGE, "Changed display name.")
    visited = set()
    for model in set(admin.site._registry) - {Heartbeat}:
        if row := model._default_manager.order_by("pk").first():
            pk = samples.get(model._meta.label_lower, row.pk)
            for page in (f"{pk}/change/", f"{pk}/history/"):
                answer = clients["superuser"].get(f"/admin/{model._meta.label_lower.replace('.', '/')}/{page}")
                assert (answer.status_code, bare_moments(answer.content.decode())) == (200, []), (model, page)
            visited.add(model)
    assert {Player, Table, Transfer, AuditEntry} <= visited
    history = clients["superuser"].get(f"/admin/lobby/player/{player.pk}/history/").content.decode()
    assert "Changed display name." in history and STAMPED.search(history)


def test_lines_below_a_row_show_utc_as_well(
    clients: Mapping[str, Client], samples: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Deals(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
        model = Deal
        fields = ("number", "started_at", "ended_at")

    monkeypatch.setattr(MatchAdmin, "inlines", (Deals,))
    page = clients["superuser"].get(f"/admin/tables/match/{samples['tables.match']}/change/").content.decode()
    lines = page[page.index("deals-group") :]
    assert ">Started at" in lines and len(STAMPED.findall(lines)) == 2
    assert bare_moments(page) == []


def test_finance_and_the_first_page_show_utc_with_audits_freezes_and_closed_months() -> None:
    with a_month_of_the_office():
        nightly.freeze("A drill")
        browser = browser_of(Player.objects.get(username="the_superuser"))
        for page, moments in (("/finance/", 2), ("/finance/months/", 3), ("/admin/", 1)):
            content = browser.get(page).content.decode()
            assert (len(STAMPED.findall(content)), bare_moments(content)) == (moments, []), page
