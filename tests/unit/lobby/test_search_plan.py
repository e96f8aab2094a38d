"""The search of players by their name, and of names like a new one, reads an index, however many players there are."""

import pytest
from django.db import connection

from lobby import profiles
from lobby.accounts.forms import named_like
from lobby.accounts.models import Player
from tests.support.players import signed_up

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def test_the_search_by_name_reads_indexes_and_not_every_player() -> None:
    Player.objects.bulk_create(
        Player(username=f"p{number:05}", display_name=f"Shown {number}" if number % 2 else "", is_findable=True)
        for number in range(4_000)
    )
    reader = signed_up("reader")
    assert [found.username for found in profiles.find_players("P0000", reader)] == [f"p{n:05}" for n in range(0, 10, 2)]
    assert [found.shown_name for found in profiles.find_players("shown 39", reader)][:2] == ["Shown 39", "Shown 3901"]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE lobby_player")
    plan = profiles.players_beginning("P0000").explain()
    assert plan.count("players_by_name") == plan.count("players_by_display_name") == 1, plan
    assert "Seq Scan" not in plan and "SCAN lobby_player" not in plan, plan
    plan = named_like("P00001", reader).explain()
    assert plan.count("players_by_outline") == plan.count("players_by_shown_outline") == 1, plan
    assert "Seq Scan" not in plan and "SCAN lobby_player" not in plan, plan
