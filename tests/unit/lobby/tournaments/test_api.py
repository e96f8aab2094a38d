"""The API of tournaments, from its rows: what is published, the draw with its proof, places, one's own part."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from rest_framework.test import APIClient

from lobby.accounts.models import Player
from lobby.tournaments import selectors
from rules.tournaments import draw_commitment, drawn_tables
from tables.errors import TableError
from tables.models import Entrant, Round, Seating, Table, Tournament, TournamentKind
from tables.tournaments import services as tournaments
from tests.support.players import signed_up
from tests.support.tournament_pages import drawn_round, entrants, tournament

pytestmark = pytest.mark.django_db


def test_of_a_cancelled_one_nothing_is_kept(client: Client) -> None:
    cancelled = tournament(status="cancelled", entry=100, fee_percent=10, entered=3, over_ms=60_000)
    assert client.get(f"/api/tournaments/{cancelled.pk}/").json()["fee"] == 0


def test_the_list_is_of_one_status_and_kind_and_says_all_that_is_published(client: Client) -> None:
    shown = tournament(status="open", entry=100, fee_percent=10, entered=3, starts_ms=60_000)
    tournament(status="open", kind=TournamentKind.ARENA)
    tournament(status="over")
    answer = client.get("/api/tournaments/?status=open&kind=knockout").json()
    assert [each["id"] for each in answer["results"]] == [shown.pk]
    assert (
        answer["results"][0].items()
        >= {
            "title": "Evening",
            "kind": "knockout",
            "book": "standard-deals-3",
            "seats": 6,
            "status": "open",
            "entry": 100,
            "fee": 30,
            "currency": "FUN",
            "least": 2,
            "most": 36,
            "entered": 3,
            "deals": 3,
            "starts_at": "1970-01-01T00:01:00Z",
            "ends_at": None,
            "prizes": [{"place": place, "share_percent": share} for place, share in ((1, 50), (2, 30), (3, 20))],
        }.items()
    )


def test_the_end_of_an_arena_is_published_before_it_begins(client: Client) -> None:
    tournament(status="open", kind=TournamentKind.ARENA, starts_ms=0, minutes=20)
    assert client.get("/api/tournaments/").json()["results"][0]["ends_at"] == "1970-01-01T00:20:00Z"


@pytest.mark.parametrize("query", ["status=soon", "kind=battle"])
def test_a_wrong_filter_is_refused(client: Client, query: str) -> None:
    assert client.get(f"/api/tournaments/?{query}").status_code == 400


def test_a_draw_is_published_with_a_proof_that_anybody_can_compute(client: Client) -> None:
    of = tournament(entered=9)
    people = entrants(of, *range(9))
    drawn_round(of, people)
    Round.objects.create(tournament=of, number=2, commitment="c" * 64, sealed_seed=b"")
    first, second = client.get(f"/api/tournaments/{of.pk}/").json()["rounds"]
    proof = first["proof"]
    ids = proof["entrants"]
    seed = bytes.fromhex(proof["seed"])
    assert first["commitment"] == draw_commitment(of.pk, 1, seed)
    assert [tuple(table) for table in proof["tables"]] == list(drawn_tables(of.pk, 1, seed, ids, 6))
    assert [proof["names"][str(each)] for each in ids] == [each.name for each in people]
    assert proof["honest"]
    assert (second["commitment"], second["proof"], second["begins_at"]) == ("c" * 64, None, None)


def test_places_come_in_pages_that_go_on_from_one_another(client: Client) -> None:
    of = tournament()
    entrants(of, *(1000 - number // 2 for number in range(120)))
    rows, address = [], f"/api/tournaments/{of.pk}/standings/"
    sizes = []
    while address:
        page = client.get(address).json()
        rows += page["results"]
        sizes.append(len(page["results"]))
        address = page["next"]
    assert sizes == [50, 50, 20]
    assert [row["place"] for row in rows] == [number // 2 * 2 + 1 for number in range(120)], "pairs share a place"
    assert rows[0].keys() == {
        *("id", "place", "name", "bot", "chips", "deals_won", "points_lost", "status", "prize", "refilled")
    }


def test_a_pair_that_two_pages_part_has_one_place() -> None:
    of = tournament()
    entrants(of, 9, 5, 5, 1)
    assert [row["place"] for row in selectors.places_page(of, 2, 2).rows] == [2, 4]


def test_before_the_start_nobody_has_a_place_and_afterwards_the_stored_ones_count(client: Client) -> None:
    of = tournament(status="open")
    first, second = entrants(of, 0, 0)
    address = f"/api/tournaments/{of.pk}/standings/"
    assert [row["place"] for row in client.get(address).json()["results"]] == [None, None]
    Tournament.objects.update(status="over")
    Entrant.objects.filter(pk=second.pk).update(place=1, prize=70)
    Entrant.objects.filter(pk=first.pk).update(place=2, status="left", chips=500)
    assert [(row["place"], row["status"], row["prize"]) for row in client.get(address).json()["results"]] == [
        (1, "in", 70), (2, "left", 0),
    ]  # fmt: skip


def own_part(player: Player, of: Tournament) -> Any:
    client = APIClient()
    client.force_authenticate(player)
    return client.get(f"/api/tournaments/{of.pk}/").json()["me"]


def test_one_sees_ones_own_part_and_a_visitor_none(client: Client) -> None:
    asha, of = signed_up("asha"), tournament()
    entrants(of, 500)
    assert own_part(asha, of) is None
    mine = Entrant.objects.create(tournament=of, user=asha, name="asha", chips=400, round=1, automatic=3)
    table = Table.objects.create(
        title="Evening", book="standard-deals-3", book_version=1, family="deals", currency="TOURNAMENT", seats=6,
        terms={}, snapshot=b"", tournament_id=of.pk, round=1,
    )  # fmt: skip
    Seating.objects.create(table=table, seat=0, user=asha, entrant_id=mine.pk, name="asha")
    assert own_part(asha, of).items() >= {
        "entered": True, "chips": 400, "place": 2, "table": table.pk, "automatic": True,
    }.items()  # fmt: skip
    Table.objects.filter(pk=table.pk).update(status="closed")
    assert own_part(asha, of)["table"] is None
    assert client.get(f"/api/tournaments/{of.pk}/").json()["me"] is None
    Entrant.objects.filter(pk=mine.pk).update(status="withdrawn")
    assert own_part(asha, of) is None


def test_no_page_of_places_asks_more_for_more_entrants(django_assert_max_num_queries: Callable[..., Any]) -> None:
    of = tournament()
    entrants(of, *range(200))
    with django_assert_max_num_queries(2):
        selectors.places_page(of, 100)


@pytest.mark.parametrize(
    ("method", "path", "service", "status"),
    [
        ("post", "entry/", "enter", 200),
        ("delete", "entry/", "withdraw_entry", 204),
        ("post", "back/", "come_back", 200),
        ("delete", "back/", "step_away", 200),
    ],
)
def test_what_one_may_do_is_done_by_the_services_and_refused_in_their_words(
    method: str, path: str, service: str, status: int
) -> None:
    asha, of = signed_up("asha"), tournament(status="open")
    mine = Entrant.objects.create(tournament=of, user=asha, name="asha")
    client = APIClient()
    address = f"/api/tournaments/{of.pk}/{path}"
    assert getattr(client, method)(address).status_code == 401
    client.force_authenticate(asha)
    with patch.object(tournaments, service, return_value=mine) as called:
        answer = getattr(client, method)(address)
    assert answer.status_code == status
    assert called.call_args.kwargs == {"tournament_id": of.pk, "user": asha}
    with patch.object(tournaments, service, side_effect=TableError("entry_closed", "Entry is closed.")):
        refused = getattr(client, method)(address)
    assert (refused.status_code, refused.json()) == (409, {"code": "entry_closed", "message": "Entry is closed."})


@pytest.mark.parametrize("path", ["", "standings/"])
def test_there_is_no_such_tournament(client: Client, path: str) -> None:
    answer = client.get(f"/api/tournaments/7/{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
