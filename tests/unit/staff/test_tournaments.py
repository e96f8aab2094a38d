"""What staff do about tournaments: templates that can be played, the calendar, and what stands still."""

from collections.abc import Mapping
from datetime import time
from typing import Any

import pytest
from django.test import Client

from lobby.backoffice.tournament_admin import TemplateForm
from lobby.backoffice.work_queue import waiting_for
from lobby.models import Player
from tables.errors import TableError
from tables.models import Deal, Match, Table, Template, Tournament
from tables.play import store
from tables.play.opening import open_table
from tables.play.tournament_tables import table_terms
from tables.staff import play_together
from tables.tournaments import services, steps
from tests.support.clock import Clock
from tests.support.staff import act, acts_of_staff, browser_of
from tests.support.tournaments import entered, opened

pytestmark = pytest.mark.django_db

GOOD = {
    "title": "Evening",
    "kind": "knockout",
    "book": "standard-deals-6",
    "seats": 6,
    "deals": 3,
    "go_on": 2,
    "minutes": 20,
    "least_deals": 3,
    "least": 12,
    "most": 600,
    "computers_after": "",
    "entry": 100,
    "fee_percent": 10,
    "prizes": "50, 30, 20",
    "schedule": "weekly",
    "weekdays": ["0", "6"],
    "at": "20:00",
    "active": True,
}
ARENA = {"kind": "arena", "book": "standard-points"}


@pytest.fixture
def operations(staff: Mapping[str, Player]) -> Client:
    return browser_of(staff["operations"])


def test_a_template_is_made_on_the_page_and_says_when_it_is_offered(operations: Client) -> None:
    answer = operations.post("/admin/tables/template/add/", GOOD)
    assert answer.status_code == 302
    made = Template.objects.get()
    assert (made.prizes, made.weekdays, f"{made.at:%H:%M}") == ([50, 30, 20], "06", "20:00")
    assert "Mon, Sun at 20:00" in operations.get("/admin/tables/template/").content.decode()


def test_nobody_of_the_staff_acts_on_a_tournament_that_they_are_in(
    operations: Client, staff: Mapping[str, Player], clock: Clock
) -> None:
    """Who removed those ahead, or cancelled what they lose, would take the others' chips alone."""
    tournament = opened(clock, most=4, entry=100)
    [rival] = entered(tournament, 1)
    services.enter(tournament_id=tournament.pk, user=staff["operations"])
    assert rival.user_id is not None and play_together(staff["operations"].pk, rival.user_id)
    pages = {"tournament_pause": tournament.pk, "tournament_cancel": tournament.pk, "entrant_remove": rival.pk}
    for page, row in pages.items():
        act(operations, f"tables_{page}", row)
        answer = operations.get("/admin/")
        assert "This concerns you as a player" in answer.content.decode(), page
    tournament.refresh_from_db()
    rival.refresh_from_db()
    assert (tournament.status, tournament.paused_ms, rival.status) == ("open", None, "in")
    assert not acts_of_staff().filter(action__startswith="tournament.").exists()
    services.withdraw_entry(tournament_id=tournament.pk, user=staff["operations"])
    assert not play_together(staff["operations"].pk, rival.user_id)
    act(operations, "tables_entrant_remove", rival.pk)
    rival.refresh_from_db()
    assert rival.status == "removed"


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        pytest.param({"book": "standard-points"}, "book", id="a knock-out needs deals"),
        pytest.param({"book": "standard-pool-101"}, "book", id="a pool has no number of deals"),
        pytest.param({"kind": "arena"}, "book", id="an arena needs points"),
        pytest.param({"book": "standard-deals-3", "seats": 2}, "book", id="a knock-out needs chips"),
        pytest.param({"book": "standard-deals-2", "seats": 2}, "book", id="three may be left, and the book is for two"),
        pytest.param({"book": "standard-deals-3"}, "seats", id="more seats than the book has"),
        pytest.param({**ARENA, "least_deals": 0}, "least_deals", id="a place for who has finished no deal"),
        pytest.param({**ARENA, "least_deals": 21}, "least_deals", id="more deals than anybody can finish"),
        pytest.param({"least": 700}, "least", id="the least above the most"),
        pytest.param({"prizes": "50, 30"}, "prizes", id="not 100 percent"),
        pytest.param({"prizes": "150, -50"}, "prizes", id="a share below 0"),
        pytest.param({"prizes": "half"}, "prizes", id="no numbers"),
        pytest.param({"prizes": "9" * 5_000}, "prizes", id="a number of too many digits to be read"),
        pytest.param({"entry": 0}, "prizes", id="prizes without an entry"),
        pytest.param({"entry": 10**15 // 600 + 1}, "entry", id="more in all than the books take"),
        pytest.param({"at": ""}, "at", id="weekly without a time"),
        pytest.param({"weekdays": []}, "at", id="weekly without a day"),
        pytest.param({"computers_after": 30}, "computers_after", id="computers where it starts at a time"),
    ],
)
def test_a_template_that_cannot_be_played_is_refused_beside_its_field(changed: dict[str, Any], field: str) -> None:
    class Form(TemplateForm):
        class Meta:
            model = Template
            fields = list(GOOD)

    assert Form(GOOD).is_valid() and Form({**GOOD, **ARENA}).is_valid()
    assert field in Form({**GOOD, **changed}).errors


@pytest.mark.parametrize("field", ["least", "most", "seats", "entry", "prizes", "at", "weekdays"])
def test_what_cannot_be_read_is_said_beside_its_field_and_nothing_beside_another(field: str) -> None:
    class Form(TemplateForm):
        class Meta:
            model = Template
            fields = list(GOOD)

    form = Form({**GOOD, field: "many"})
    assert list(form.errors) == [field] and len(form.errors[field]) == 1


def test_one_is_made_now_from_a_template(operations: Client) -> None:
    template = Template.objects.create(title="Evening", kind="knockout", book="standard-deals-6", active=False)
    address = f"/admin/tables/template/make/?ids={template.pk}"
    operations.post(address, {"ids": template.pk, "reason": "A wish", "starts": "2099-01-01 20:00"})
    made = Tournament.objects.get()
    assert (made.template_id, made.starts_ms) == (template.pk, 4_070_961_000_000), "14:30 UTC is 20:00 in Kolkata"
    [entry] = acts_of_staff()
    assert (entry.action, entry.reason) == ("tournament.make", "A wish")


@pytest.mark.parametrize(
    "starts", ["0001-01-01 00:00", "2001-01-01 20:00", "9999-12-31 23:59", "3000-01-02 00:00", "2099-02-30 20:00"]
)
def test_one_begins_at_a_moment_to_come_that_every_page_can_show(operations: Client, starts: str) -> None:
    template = Template.objects.create(title="Evening", kind="arena", book="standard-points", active=False)
    answer = act(operations, "tables_template_make", template.pk, starts=starts)
    assert answer.status_code == 400 and "starts" in answer.context["form"].errors
    assert not Tournament.objects.exists()


@pytest.mark.parametrize("starts", ["2099-01-01 20:00", ""])
def test_a_form_that_is_sent_twice_makes_one(operations: Client, starts: str) -> None:
    template = Template.objects.create(title="Evening", kind="knockout", book="standard-deals-6", active=False)
    for _ in range(2):
        act(operations, "tables_template_make", template.pk, starts=starts)
    assert Tournament.objects.count() == acts_of_staff().count() == 1
    assert "already." in operations.get("/admin/").content.decode()


def test_nobody_of_the_staff_stops_another_table_of_a_tournament_that_they_are_in(
    operations: Client, staff: Mapping[str, Player], clock: Clock
) -> None:
    """The round ends with the chips as they stand: who freezes the table of those ahead would pass them."""
    tournament = opened(clock, most=4, seats=2, go_on=1, entry=100)
    entered(tournament, 3)
    services.enter(tournament_id=tournament.pk, user=staff["operations"])
    steps.make_due_steps(clock.now)
    [other] = Table.objects.filter(tournament_id=tournament.pk).exclude(seatings__user=staff["operations"])
    for page in ("tables_table_freeze", "tables_table_cancel"):
        act(operations, page, other.pk)
        assert "This concerns you as a player" in operations.get("/admin/").content.decode(), page
    other.refresh_from_db()
    assert other.status == Table.Status.OPEN
    act(browser_of(staff["superuser"]), "tables_table_freeze", other.pk)
    assert not any(item.title == "Tables that stand still" for item in waiting_for(staff["operations"]))
    other.refresh_from_db()
    assert other.status == Table.Status.FROZEN


@pytest.mark.parametrize("pause", [True, False])
def test_a_final_that_staff_freeze_waits_for_them_only_where_its_tournament_is_paused(
    operations: Client, clock: Clock, pause: bool
) -> None:
    tournament = opened(clock, most=2, seats=2, go_on=1, entry=100)
    entered(tournament, 2)
    steps.make_due_steps(clock.now)
    table = Table.objects.get(tournament_id=tournament.pk)
    assert "Pause it first" in operations.get(f"/admin/tables/table/freeze/?ids={table.pk}").content.decode()
    if pause:
        act(operations, "tables_tournament_pause", tournament.pk)
    act(operations, "tables_table_freeze", table.pk)
    steps.make_due_steps(clock.now)
    table.refresh_from_db()
    tournament.refresh_from_db()
    assert (table.status, tournament.status) == (("frozen", "running") if pause else ("closed", "over"))


def standing_still(person: Player) -> int:
    return sum(item.count for item in waiting_for(person) if item.title == "Tournaments that stand still")


def test_one_that_is_cancelled_while_it_is_paused_is_not_paused_any_more(clock: Clock, operations: Client) -> None:
    tournament = opened(clock, most=3, entry=100)
    [asha] = entered(tournament, 1)
    for page in ("pause", "cancel"):
        act(operations, f"tables_tournament_{page}", tournament.pk)
    told = operations.get(f"/api/tournaments/{tournament.pk}/").json()
    assert (told["status"], told["paused"]) == ("cancelled", False)
    with pytest.raises(TableError, match="was cancelled"):
        services.withdraw_entry(tournament_id=tournament.pk, user=asha.user)


def test_the_reason_that_players_read_is_never_cut(clock: Clock, operations: Client) -> None:
    tournament = opened(clock, most=3)
    refused = act(operations, "tables_tournament_cancel", tournament.pk, reason="x" * 201)
    assert "200 characters" in refused.content.decode()
    act(operations, "tables_tournament_cancel", tournament.pk, reason="y" * 200)
    assert "y" * 200 in operations.get(f"/tournaments/{tournament.pk}/").content.decode()


@pytest.mark.parametrize("why", ["paused", "overdue", "frozen"])
def test_what_stands_still_is_counted_for_those_who_can_help(staff: Mapping[str, Player], why: str) -> None:
    of = Tournament.objects.create(
        title="Evening", kind="knockout", book="standard-deals-6", opens_ms=0, status="running"
    )
    assert standing_still(staff["operations"]) == 0
    if why == "frozen":
        Table.objects.create(
            title="x", book="standard-deals-6", book_version=1, family="deals", currency="TOURNAMENT", seats=6,
            terms={}, snapshot=b"", tournament_id=of.pk, status=Table.Status.FROZEN,
        )  # fmt: skip
    else:
        Tournament.objects.update(**{"paused": {"paused_ms": 5}, "overdue": {"next_ms": store.now_ms() - 60_000}}[why])
    assert standing_still(staff["operations"]) == 1
    assert standing_still(staff["finance"]) == 0
    page = browser_of(staff["operations"]).get("/admin/tables/tournament/?condition=stuck").content.decode()
    assert "Evening" in page and ("1 frozen" if why == "frozen" else why) in page
    Tournament.objects.update(status="over")
    assert standing_still(staff["operations"]) == 0


def test_staff_read_how_many_deals_a_tournament_plays_whatever_its_book_is_called(operations: Client) -> None:
    rules: dict[str, Any] = {"title": "Evening", "kind": "knockout", "book": "standard-deals-6", "deals": 2}
    Template.objects.create(**rules)
    of = Tournament.objects.create(**rules, opens_ms=0)
    table = open_table(terms=table_terms(of), title="Evening", currency="TOURNAMENT")
    match = Match.objects.create(table=table, book=table.book, book_version=1)
    deal = Deal.objects.create(match=match, number=1, book=table.book, book_version=1)
    pages = [f"{kind}/" for kind in ("template", "tournament", "match", "deal")]
    pages += [f"{row._meta.model_name}/{row.pk}/change/" for row in (of, table, match, deal)]
    for page in pages:
        shown = operations.get(f"/admin/tables/{page}").content.decode()
        assert "Deals Rummy for chips, 2 deals (standard-deals-6" in shown and "6 deals" not in shown, page


def test_a_template_that_cannot_be_played_any_more_is_said_to_be_so(operations: Client) -> None:
    """An earlier version may have stored it; its page still opens, and making one is refused with the reason."""
    why = "A knock-out takes a book of deals for chips, and for three players or more."
    stored = {name: GOOD[name] for name in ("title", "kind", "seats", "deals", "schedule", "weekdays", "active")}
    broken = Template.objects.create(**{**stored, "weekdays": "06", "book": "standard-deals-3", "at": time(20)})
    assert f"not offered: {why}" in operations.get("/admin/tables/template/").content.decode()
    act(operations, "tables_template_make", broken.pk)
    assert why in operations.get("/admin/").content.decode()
    assert not Tournament.objects.exists()
