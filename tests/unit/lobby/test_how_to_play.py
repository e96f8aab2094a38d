"""The rules as players read them: the numbers are the engine's."""

import re
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from lobby.help import rule_text, views as help
from lobby.models import Player, Stake
from lobby.stakes import private_tables
from rules import payouts
from rules.books import BOOKS, Absence, RuleBook
from rules.game.phases import dealing
from tables.models import Table
from tables.play import services as play
from tables.play.opening import open_table
from tests.support.players import signed_up
from tests.support.stakes import StakeFactory
from tests.support.tables import terms

pytestmark = pytest.mark.django_db

POOL, LIVES, DEALS = BOOKS["standard-pool-201"], BOOKS["lives-drop-points"], BOOKS["standard-deals-3"]
CHIPS = BOOKS["standard-deals-6"]


def page_of(client: Client, key: str) -> str:
    answer = client.get(f"/how-to-play/{key}" if "/" in key else f"/how-to-play/{key}/")
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_every_book_has_a_page_linked_from_the_general_one(client: Client) -> None:
    general = client.get("/how-to-play/").content.decode()
    for key, book in BOOKS.items():
        assert f"/how-to-play/{key}/" in general
        assert book.title in page_of(client, key)
    assert client.get("/how-to-play/no-such-book/").status_code == 404


#: Fields that are no number of the game, and one that only the computer of the pack count reads.
NOT_TOLD = {"key", "version", "title", "family"}


@pytest.mark.parametrize(
    ("book", "field", "value"),
    [
        (POOL, "first_drop", 27),
        (POOL, "middle_drop", 57),
        (POOL, "pool_limit", 251),
        (POOL, "leave_first", 77),
        (POOL, "leave_later", 76),
        (POOL, "full_count", 78),
        (POOL, "least_points", 3),
        (POOL, "max_groups", 7),
        (POOL, "max_seats", 5),
        (POOL, "min_seats", 3),
        (POOL, "auto_plays_allowed", 13),
        (POOL, "auto_plays_points", 53),
        (POOL, "open_show_cap", 41),
        (POOL, "packs", ((6, 4),)),
        (POOL, "open_pile", False),
        (POOL, "toss", BOOKS["club-points"].toss),
        (POOL, "toss_each_deal", True),
        (POOL, "absent_connected", Absence.AUTO_PLAY),
        (POOL, "absent_offline_first", Absence.MISS),
        (POOL, "absent_offline_later", Absence.DROP),
        (POOL, "absence_points", 63),
        (POOL, "leaving", DEALS.leaving),
        (POOL, "open_show", BOOKS["classic-points"].open_show),
        (LIVES, "open_show_flat", 21),
        (LIVES, "drop_show_turn", 43),
        (LIVES, "misses_allowed", 5),
        (LIVES, "missed_out_points", 42),
        (LIVES, "no_submission", POOL.no_submission),
        (LIVES, "no_submission_no_turn", 41),
        (LIVES, "show_before_draw", False),
        (POOL, "overlooked_show_is_least", True),
        (POOL, "late_discard_drops", True),
        (LIVES, "without_lives", POOL.without_lives),
        (LIVES, "jokers_per_meld", 2),
        (LIVES, "four_card_life", False),
        (LIVES, "tunnela", False),
        (LIVES, "jokers_apart", False),
        (DEALS, "deals", 5),
        (DEALS, "decisive_lead", 90),
        (CHIPS, "chips_a_deal", 81),
    ],
)
def test_a_change_of_the_book_changes_its_page(book: RuleBook, field: str, value: Any) -> None:
    """Every field is changed in turn: a page that stays the same contains something untrue."""
    assert rule_text.tables(replace(book, **{field: value})) != rule_text.tables(book)


def test_no_field_of_a_book_is_left_out_above() -> None:
    marks = test_a_change_of_the_book_changes_its_page.pytestmark[0].args[1]
    assert {field for _, field, _ in marks} == {field.name for field in fields(RuleBook)} - NOT_TOLD


#: What a newcomer asked for in vain: (book, what its page says).
ANSWERED = [
    ("standard-pool-201", "when three or two are left of more than three who started, or two of three who started"),
    ("standard-pool-201", "At once, in equal shares, when so few are left and none of them has a drop left."),
    ("standard-pool-201", "none of them has more than 174 points"),
    ("standard-pool-101", "none of them has more than 79 points"),
    ("standard-points", "Wins the deal without declaring."),
    ("standard-points", "80 points until your first discard of the deal, 40 later"),
    ("standard-points", "of one rank spades go before hearts, then diamonds, then clubs"),
    ("standard-points", "80 times the price of a point. Whoever holds less adds chips, or gives up the seat."),
    ("standard-points", "A part of what the losers pay that the stake names, rounded down"),
    ("standard-points", "Their last arrangement is judged as the show."),
    ("lives-points", "A wrong show: 80 points."),
    ("lives-points", "80 points, 40 if you had no turn."),
    ("lives-drop-points", "On your own first turn you may show all 13 cards without drawing."),
    ("flat20-points", "A hand that could be declared counts 2, however it lies."),
    ("club-pool-201", "You are dropped, for 25 points on your first turn and 50 later; the card goes with your hand."),
    ("standard-points", "The drawn card is discarded for you."),
    ("classic-points", "You are dropped at 40 points. A draw of your own ends the row."),
    ("classic-points", "All that your hand counts."),
    ("standard-blind", "None: no card is turned up at the start, discards stay face down."),
    ("standard-deals-3", "80 points; the other player wins the deal."),
    ("standard-deals-3", "Packs 2 packs."),
    ("standard-deals-3", "A part of both entries that the stake names"),
    ("standard-pool-61", "none of them has more than 44 points"),
    ("standard-pool-61", "60 points; the others play on."),
    ("standard-pool-61", "come back with 45"),
    ("standard-deals-2", "2. Everybody begins with 160 chips; the winner of a deal takes as many"),
    ("standard-deals-6", "6. Everybody begins with 480 chips; the winner of a deal takes as many"),
    ("standard-deals-6", "A part of all entries that the stake names"),
    ("standard-deals-6", "80 points, and you are out of the match."),
]


@pytest.mark.parametrize("key", sorted({key for key, _ in ANSWERED}))
def test_what_newcomers_asked_is_answered(client: Client, key: str) -> None:
    page = page_of(client, key)
    assert [sentence for book, sentence in ANSWERED if book == key and sentence not in page] == []


def test_pages_leave_out_rules_that_the_book_lacks(client: Client) -> None:
    for key, word in (
        ("standard-deals-3", "others"),
        ("standard-deals-3", "6 players"),
        ("standard-blind", "upcard"),
        ("standard-points", "Rejoin"),
    ):
        texts = [how for _, rows in rule_text.tables(BOOKS[key]) for row in rows for how in row]
        assert not [how for how in texts if word in how]
    assert "full count of your hand" not in page_of(client, "classic-points")


def test_texts_of_splits_rejoins_and_ties_match_the_code() -> None:
    """These three texts cannot be generated from code, so they are compared with it."""
    few = {
        (started, left)
        for started in range(2, 7)
        for left in range(2, started + 1)
        if payouts.split(limit=201, drop=25, entry=100, prize=100 * started, started=started, scores=[200] * left).auto
    }
    assert few == {(3, 2), (4, 2), (4, 3), (5, 2), (5, 3), (6, 2), (6, 3)}
    for highest, allowed in ((174, True), (175, False)):
        assert payouts.rejoin(limit=201, drop=25, started=3, scores=(201, highest, 0), player=0).allowed is allowed
    suits = [{"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}[suit] for suit in dealing._TIES]
    places = [rule_text.TIES.index(suit) for suit in suits]
    assert places == sorted(places)


def test_clocks_are_those_of_the_linked_stake(client: Client, asha: Player) -> None:
    stake = StakeFactory(turn_seconds=17, extra_seconds=9, fee_percent=7)
    page = page_of(client, f"standard-points/?stake={stake.pk}")
    assert "17 s, then 9 s of extra time in every turn." in page
    assert "with a fee of 7%" in page
    for strange in ("", "?stake=0", "?stake=x", f"?stake={'9' * 40}"):
        assert "30 s, then 30 s of extra time in every turn." in page_of(client, f"standard-points/{strange}")
    other = page_of(client, f"classic-points/?stake={stake.pk}")
    assert "30 s, then 30 s of extra time" in other, "a stake of another book has no say here"
    client.force_login(asha)
    assert f"/how-to-play/standard-points/?stake={stake.pk}" in client.get(f"/sit/{stake.pk}/").content.decode()


def test_examples_are_judged_by_the_engine(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three identical cards are a meld in the lives book, and nothing once its tunnela is taken away."""
    assert page_of(client, "lives-points").count("Pure sequence Three identical cards.") == 1
    without = replace(BOOKS["lives-points"], tunnela=False)
    monkeypatch.setattr(help, "BOOKS", MappingProxyType({**BOOKS, "lives-points": without}))
    page = page_of(client, "lives-points")
    assert "Pure sequence Three identical cards." not in page
    assert "No meld Three identical cards." in page


def test_worked_hands_hold_thirteen_cards_and_count_as_the_seeds_say() -> None:
    """Rules: Score of a loser who stayed to the end, cases 1 to 3; lives without both lives 80 flat."""
    points = {}
    for key in ("standard-points", "lives-points"):
        hands = [help.judged_hand(BOOKS[key], *example) for example in help.HANDS]
        for hand in hands:
            assert sum(len(group["cards"]) for group in hand["groups"]) + len(hand["loose"]) == 13
        assert [hand["valid"] for hand in hands] == [True, False, False, False]
        points[key] = [hand["points"] for hand in hands[1:]]
    # 7+8+10 and 2+2+2 and 3+5+4+6+2+3 | 4+4+4 and 2+3+6+7+10+10+2 | 2+10+6
    assert points == {"standard-points": [54, 52, 18], "lives-points": [80, 80, 18]}


def test_the_worked_pool_is_paid_by_the_rules_and_to_the_last_chip(client: Client) -> None:
    """Rules: Split. P = 540, F = 100, drops 7 6 5: R = 540 - 300, shares 200 + 80, 100 + 80, 80. Rejoin at 75 + 1."""
    example = rule_text.pool_example(POOL)
    assert example is not None
    assert example["lines"] == [(25, 7, 280), (50, 6, 180), (75, 5, 80)]
    assert (example["prize"], example["back"], example["highest"]) == (540, 76, 174)
    page = page_of(client, POOL.key)
    assert "75 5 80" in page
    assert "come back with 76" in page
    assert rule_text.pool_example(LIVES) is None
    assert "A pool, worked out" not in page_of(client, LIVES.key)


def friends_table(**fields: Any) -> Table:
    """Open a table for friends with these terms."""
    deals = fields.pop("deals", None)
    host = signed_up("hostess")
    private_tables.open_own_table(user=host, stake=Stake(**fields), deals=deals)
    return Table.objects.get()


@pytest.mark.parametrize(("deals", "decided_early"), [(1, False), (2, True), (10, True)], ids=lambda value: str(value))
def test_friends_read_the_deals_and_clocks_of_their_own_table(client: Client, deals: int, decided_early: bool) -> None:
    table = friends_table(book="standard-deals-3", seats=2, entry=750, deals=deals, turn_seconds=15, extra_seconds=5)
    usual = page_of(client, "standard-deals-3/")
    own = page_of(client, f"standard-deals-3/?table={table.pk}")
    assert f"{deals}. The lowest total wins" in own and f"Best of {deals}" in own
    assert ("before the last deal" in own) is decided_early
    assert "15 s, then 5 s of extra time" in own and "750 chips, once." in own and "Fee None." in own
    assert "3. The lowest total wins" in usual and "30 s, then 30 s" in usual and "that the stake names" in usual
    assert "that the stake names" not in own and "As usual" not in own
    assert "hostess" not in own, "of whose table it is, a number tells nothing"


def test_friends_read_what_a_point_costs_and_how_much_they_may_bring(client: Client) -> None:
    table = friends_table(book="club-points", seats=4, point_value=3, minimum=300, maximum=600)
    own = page_of(client, f"club-points/?table={table.pk}")
    assert "A point 3 chips" in own and "Buy-in 300 chips to 600 chips." in own and "Fee None." in own


def test_a_table_of_others_or_of_another_book_shows_the_usual_terms(client: Client) -> None:
    usual = page_of(client, "club-points/")
    table = friends_table(book="standard-points", seats=2, point_value=3)
    public = open_table(terms=terms(book="club-points", minimum=240, point_value=3), title="Public", currency="FUN")
    for number in (table.pk, public.pk, 0, "x", "9" * 30, ""):
        assert page_of(client, f"club-points/?table={number}") == usual


@pytest.mark.usefixtures("sent")
def test_the_table_page_leads_to_its_own_rules(client: Client) -> None:
    table = friends_table(book="standard-deals-3", seats=2, entry=750, deals=2)
    host = Player.objects.get()
    client.force_login(host)
    play.sit(table_id=table.pk, user=host)
    rules = f"/how-to-play/standard-deals-3/?table={table.pk}"
    assert f'data-rules="{rules}"' in client.get(reverse("tables:table", args=[table.pk])).content.decode()
    assert f'href="{rules}"' in client.get(reverse("lobby:private", args=[table.private_code])).content.decode()


def test_a_stake_names_its_fee(client: Client) -> None:
    stake = StakeFactory(fee_percent=12)
    assert "12% of what the losers pay, rounded down" in page_of(client, f"{stake.book}/?stake={stake.pk}")


@pytest.mark.parametrize("language", ["en", "hi"])
def test_every_kind_of_group_is_shown_in_each_language(client: Client, language: str) -> None:
    client.cookies["django_language"] = language
    assert 'class="examples"' in client.get("/how-to-play/club-points/").content.decode()
