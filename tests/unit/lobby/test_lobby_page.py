"""The lobby for a visitor and a player, without JavaScript."""

import math
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from lobby.models import Player
from lobby.stakes import selectors, services as stakes
from tables.models import Deal, DealSeat, Match, Seating, Table
from tests.support.currency import two_currencies
from tests.support.players import signed_up
from tests.support.stakes import StakeFactory
from wallet.ledger import selectors as ledger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


def stakes_on(client: Client, query: str = "") -> list[int]:
    answer = client.get(f"/{query}")
    assert answer.status_code == 200
    return [int(number) for number in re.findall(r'data-stake="(\d+)"', answer.content.decode())]


def test_a_visitor_sees_every_stake_and_signs_up_for_a_seat(client: Client) -> None:
    stake = StakeFactory()
    assert stakes_on(client) == [stake.pk]
    to_sign_up = client.get(f"/sit/{stake.pk}/")
    assert to_sign_up["Location"] == f"/signup/?next=%2Fsit%2F{stake.pk}%2F"
    signed_up = client.post(
        to_sign_up["Location"], {"username": "nila", "password": "thirteen quiet cards", "next": f"/sit/{stake.pk}/"}
    )
    assert signed_up.context["next"] == f"/sit/{stake.pk}/"
    assert "Sit down" in client.get(signed_up.context["next"]).content.decode()


def test_the_page_filters_by_its_query(client: Client, marks: None) -> None:
    duel, six = StakeFactory(), StakeFactory(seats=6, point_value=5)
    pool = StakeFactory(pool=True)
    assert stakes_on(client) == [duel.pk, six.pk, pool.pk]
    assert stakes_on(client, "?family=points") == [duel.pk, six.pk]
    assert stakes_on(client, "?family=pool") == [pool.pk]
    assert stakes_on(client, "?seats=6") == [six.pk]
    assert stakes_on(client, "?min=81&max=399") == [pool.pk]
    assert stakes_on(client, "?min=400") == [six.pk]
    assert stakes_on(client, "?currency=TST") == []
    assert "No stake matches" in client.get("/?currency=TST").content.decode()


@pytest.mark.parametrize("query", ["?seats=9", "?family=%3Cscript%3E", "?min=x", "?min=9&max=8", "?min=" + "9" * 400])
def test_an_invalid_filter_is_reported_and_filters_nothing(client: Client, query: str) -> None:
    stake = StakeFactory()
    assert stakes_on(client, query) == [stake.pk]
    page = client.get(f"/{query}").content.decode()
    assert "field-error" in page
    assert "<script>" not in page.replace("<script ", "")


def test_the_head_of_a_players_page_asks_for_no_rights_and_no_blocks_where_nothing_waits(
    asha: Player, client: Client
) -> None:
    client.force_login(asha)
    with CaptureQueriesContext(connection) as asked:
        assert client.get("/safety/").status_code == 200
    statements = [query["sql"] for query in asked]
    assert [sql for sql in statements if "auth_permission" in sql or "lobby_block" in sql] == []
    assert any("lobby_friendship" in sql for sql in statements) and any("lobby_invitation" in sql for sql in statements)


def test_a_lobby_without_stakes_says_so(client: Client) -> None:
    assert "No tables are open" in client.get("/").content.decode()


def test_names_and_titles_are_shown_as_text(client: Client) -> None:
    stake = StakeFactory(title="<b>Big</b>", seats=6)
    stakes.quick_seat(stake_id=stake.pk, user=signed_up("asha"))
    Seating.objects.update(name='"><img src=x>')
    page = client.get("/").content.decode()
    assert "<b>Big" not in page
    assert "<img src=x" not in page
    assert "&lt;img src=x&gt;" in page


def test_sitting_down_takes_the_chips_and_leads_to_the_table(client: Client) -> None:
    stake, asha = StakeFactory(), signed_up("asha")
    client.force_login(asha)
    answer = client.post(f"/sit/{stake.pk}/", {"buy_in": "500"})
    seating = Seating.objects.get(user=asha)
    assert answer["Location"] == f"/tables/{seating.table_id}/"
    assert ledger.balances(asha) == [{"currency": "FUN", "free": 9_500, "in_play": 500}]
    lobby = client.get("/").content.decode()
    assert f'href="/tables/{seating.table_id}/"' in lobby
    assert "> to your table<" in lobby
    assert "9,500" in lobby


@pytest.mark.parametrize(
    ("buy_in", "says"),
    [("79", "80 at least"), ("10001", ""), ("-5", "whole number"), ("ten", "whole number"), ("9" * 30, "At most")],
)
def test_a_wrong_buy_in_is_explained_where_it_can_be_changed(client: Client, buy_in: str, says: str) -> None:
    stake, asha = StakeFactory(), signed_up()
    client.force_login(asha)
    answer = client.post(f"/sit/{stake.pk}/", {"buy_in": buy_in})
    assert answer.status_code == 400
    page = answer.content.decode()
    assert says in page
    assert 'name="buy_in"' in page
    assert not Seating.objects.filter(user=asha).exists()


def test_a_player_with_too_little_sees_affordable_stakes(client: Client) -> None:
    stake = StakeFactory(point_value=1_000)
    client.force_login(signed_up())
    page = client.get(f"/sit/{stake.pk}/").content.decode()
    assert "too small for this stake" in page
    assert "/?currency=FUN&amp;max=10000" in page


def test_a_fourth_seat_is_refused_with_links_to_the_others(client: Client) -> None:
    client.force_login(signed_up())
    for _ in range(3):
        client.post(f"/sit/{StakeFactory().pk}/", {"buy_in": "100"})
    answer = client.post(f"/sit/{StakeFactory().pk}/", {"buy_in": "100"}, follow=True)
    assert "You sit at 3 tables already." in answer.content.decode()
    assert "> to your 3 tables<" in answer.content.decode()


def test_one_click_leads_to_a_practice_table_full_of_computers(client: Client) -> None:
    asha = signed_up("asha")
    client.force_login(asha)
    answer = client.post("/practice/", {"book": "lives-points", "players": "4"})
    table = Table.objects.get(practice_for=asha)
    assert answer["Location"] == f"/tables/{table.pk}/"
    assert (table.book, table.seats, table.stake_id) == ("lives-points", 4, None)
    assert sorted(seating.user_id is None for seating in table.seatings.all()) == [False, True, True, True]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"book": "x", "players": "2"},
        {"book": "lives-points", "players": "7"},
        {"book": "standard-deals-3", "players": "3"},
        {"book": "lives-points", "players": "²"},
    ],
)
def test_an_impossible_practice_redirects_with_the_reason(client: Client, fields: dict[str, str]) -> None:
    client.force_login(signed_up())
    answer = client.post("/practice/", fields, follow=True)
    assert answer.redirect_chain == [("/", 302)]
    page = answer.content.decode()
    assert re.search(r'<div class="messages" role="status">\s*<p class="message message--error">', page), (
        "told, no list"
    )
    assert not Table.objects.exists()


def test_friends_find_the_table_by_its_code_and_nobody_else_does(client: Client) -> None:
    stake, asha, ravi = StakeFactory(), signed_up("asha"), signed_up("ravi")
    client.force_login(asha)
    page = client.post("/private/", {"stake": stake.pk})["Location"]
    code = page.split("/")[2]
    assert code in client.get(page).content.decode()
    assert client.post(page, {"buy_in": "100"})["Location"].startswith("/tables/")
    table = Table.objects.get(private_code=code)
    friend = Client()
    friend.force_login(ravi)
    typed = f" {code[:4].lower()}-{code[4:].lower()} "
    assert friend.get("/private/find/", {"code": typed})["Location"] == f"/private/{code}/"
    assert friend.post(f"/private/{code}/", {"buy_in": "100"})["Location"] == f"/tables/{table.pk}/"
    assert Seating.objects.get(user=ravi).table_id == table.pk
    lobby = Client().get("/").content.decode()
    assert "asha" not in lobby
    assert code not in lobby


def test_a_wrong_code_redirects_to_the_lobby(client: Client) -> None:
    client.force_login(signed_up())
    for answer in (client.get("/private/find/", {"code": "--"}), client.get("/private/NOSUCHCO/")):
        assert answer["Location"] == "/"


def test_all_pages_obey_their_own_content_policy(client: Client) -> None:
    """Nothing is inline (no style attribute, no handler, no script text), and the policy requires that."""
    stake = StakeFactory()
    client.force_login(signed_up())
    pages = [
        "/",
        f"/sit/{stake.pk}/",
        "/how-to-play/",
        "/how-to-play/lives-points/",
        "/account/",
        "/account/password/",
        "/nope/",
    ]
    for path in pages:
        answer = client.get(path)
        html = answer.content.decode()
        assert not re.search(r"<[^>]+\s(style|on\w+)=", html), path
        assert not re.search(r"<script[^>]*>[^<]", html), path
        assert "<style" not in html, path
        assert "'unsafe-inline'" not in answer["Content-Security-Policy"]


def test_error_pages_use_the_site_layout(client: Client, settings: Any) -> None:
    missing = client.get("/nowhere/")
    assert (missing.status_code, "site-header" in missing.content.decode()) == (404, True)
    client.raise_request_exception = False
    settings.ROOT_URLCONF = "tests.unit.lobby.broken_urls"
    broken = client.get("/")
    assert (broken.status_code, "Our fault" in broken.content.decode()) == (500, True)


def test_a_buy_in_is_asked_for_in_whole_units_of_each_currency(client: Client, marks: None) -> None:
    chips, in_marks = StakeFactory(point_value=1), StakeFactory(point_value=100, currency="TST")
    dear = StakeFactory(point_value=500, currency="TST")
    assert stakes_on(client, "?min=80&max=80") == [chips.pk, in_marks.pk]
    assert stakes_on(client, "?min=81&currency=TST") == [dear.pk]
    offered = client.get("/api/lobby/?min=8000&max=8000").json()["stakes"]
    assert [stake["id"] for stake in offered] == [in_marks.pk], "programs count in smallest units"


def test_the_header_shows_the_balance_of_every_currency(client: Client) -> None:
    client.force_login(signed_up())

    def chips() -> list[str]:
        text = client.get("/account/").content.decode()
        return [
            " ".join(re.sub("<[^>]+>", " ", chip).split())
            for chip in re.findall(r'(?s)<a class="balance-chip.*?</a>', text)
        ]

    assert chips() == ["Fun chips: 10,000"]
    assert 'data-free="10000" data-room=""' in client.get("/").content.decode(), "the buy-in's dialog counts with it"
    client.post("/account/care/", {"act": "limits", "of": "FUN", "FUN-day": "300"})
    assert 'data-room="300"' in client.get("/").content.decode()
    with two_currencies():
        assert chips() == ["Fun chips: 10,000", "Test marks: 0.00"]


def test_a_quick_seat_is_of_any_family_whatever_is_filtered(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobby.stakes.selectors.NEWCOMER_DEALS", 0)
    StakeFactory()
    StakeFactory(pool=True)
    client.force_login(signed_up())
    page = client.get("/?family=points").content.decode()
    assert 'action="/seat/points/"' in page and 'action="/seat/pool/"' in page and 'action="/seat/deals/"' not in page


def test_a_regular_finds_what_they_play_unfolded_and_the_rest_folded(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lobby.stakes.selectors.NEWCOMER_DEALS", 1)
    points, other, pool = StakeFactory(), StakeFactory(book="classic-points"), StakeFactory(pool=True)
    client.force_login(player := signed_up())

    def folded() -> tuple[list[str], list[str]]:
        page = client.get("/").content.decode()
        assert stakes_on(client) == [points.pk, other.pk, pool.pk], "all are there"
        closed = re.findall(r'family__fold">\s*<summary.*?id="family-(\w+)', page)
        others = re.findall(r'family__others">.*?</details>', page, re.DOTALL)
        return closed, [book for part in others for book in re.findall(r'data-book="([\w-]+)', part)]

    assert folded() == ([], []), "a newcomer has the list as a whole folded"
    for stake, expected in ((pool, (["points"], [])), (points, ([], ["classic-points"]))):
        seating = stakes.quick_seat(stake_id=stake.pk, user=player)
        match = Match.objects.create(table=seating.table, book=stake.book, book_version=1, status="settled")
        deal = Deal.objects.create(match=match, number=1, book=stake.book, book_version=1, status="over")
        DealSeat.objects.create(seating=seating, user=player, seat=0, outcome="lost", deal=deal)
        assert folded() == expected
    assert 'family__others"' not in client.get("/?family=points").content.decode(), "who filters sees what fits"


def test_a_get_of_a_form_address_shows_a_page(client: Client) -> None:
    assert client.post("/private/")["Location"] == "/signup/?next=%2F"
    client.force_login(signed_up())
    assert client.get("/private/")["Location"] == "/", "where one opens a table for friends"
    for path in ("/practice/", "/wallet/refill/", "/logout/"):
        answer = client.get(path)
        assert (answer.status_code, "POST" in answer["Allow"]) == (405, True)
        assert "Nothing was done" in answer.content.decode()


def test_tables_with_waiting_people_come_first(client: Client) -> None:
    assert "Nobody waits just now" in client.get("/").content.decode()
    nearly, far, running = StakeFactory(), StakeFactory(seats=6), StakeFactory(seats=3)
    stakes.quick_seat(stake_id=far.pk, user=signed_up("ann"))
    waits = stakes.quick_seat(stake_id=nearly.pk, user=signed_up("bea"))
    plays = stakes.quick_seat(stake_id=running.pk, user=signed_up("cid"))
    Table.objects.filter(pk=plays.table_id).update(phase="playing")
    page = client.get("/?family=pool").content.decode()
    assert [int(number) for number in re.findall(r'id="waiting-(\d+)"', page)] == [
        waits.table_id,
        Seating.objects.get(user__username="ann").table_id,
    ]
    assert f'href="/sit/{nearly.pk}/?table={waits.table_id}"' in page
    assert "1 of 2 seats taken" in page


def test_what_has_changed_is_drawn_as_the_page_draws_it(client: Client) -> None:
    quiet, busy = StakeFactory(), StakeFactory(seats=6)
    seating = stakes.quick_seat(stake_id=busy.pk, user=signed_up("ann"))
    selectors._lately.until = 0.0
    page, now = (client.get(address).content.decode() for address in ("/", f"/lobby/now/?stake={busy.pk}&stake=x"))
    assert f'id="stake-{busy.pk}"' in now and f'id="stake-{quiet.pk}"' not in now
    row, waiting = now[now.index('<li class="stake"') : now.index("</ul>", now.index("stake__quiet"))], now[:200]
    assert row.strip() in page and waiting in page and "ann" in row
    stakes.quick_seat(stake_id=busy.pk, user=signed_up("bea"))
    selectors._lately.until = math.inf
    assert client.get(f"/lobby/now/?stake={busy.pk}").content.decode() == now, "one reading for all who ask"
    selectors._lately.until = 0.0
    now = client.get(f"/lobby/now/?stake={busy.pk}").content.decode()
    assert f'id="open-table-{seating.table_id}"' in now and "ann, bea" in now and "2 of 6 seats taken" in now


def test_the_app_is_described_in_the_readers_language(client: Client) -> None:
    english, hindi = (client.get("/manifest.webmanifest", HTTP_ACCEPT_LANGUAGE=code) for code in ("en", "hi"))
    assert (english.json()["lang"], hindi.json()["lang"]) == ("en", "hi")
    assert {"Accept-Language", "Cookie"} <= {part.strip() for part in hindi["Vary"].split(",")}
    assert "private" in hindi["Cache-Control"], "no shared cache hands one reader's to another"


def test_nothing_in_the_footer_is_parted_by_a_dot_that_could_end_a_line(client: Client) -> None:
    footer = client.get("/").content.decode().partition('<footer class="site-footer">')[2].partition("</footer>")[0]
    assert "Complaints" in footer and "All times are" in footer and "·" not in footer
