"""A platform with one of every kind of row, in which faults are planted.

Three days ago were played: points, a pool with a rejoin and a prize, a best of three that staff cancelled, a practice
table, the deal of a day, a tournament, a pool that still runs, a table that staff have stopped. Since then:
adjustments, audits, freezes, an export.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth import get_user_model
from django.utils import timezone

from lobby.backoffice import services as backoffice
from lobby.daily import services as daily
from lobby.models import Report, SignIn
from lobby.reports import services as reports
from tables import staff
from tables.models import Deal, Match, Outage, Table
from tables.play import broadcast, clocks, services as play, store
from tables.play.opening import open_table
from tests.support import connections, tournaments
from tests.support.clock import START, Clock
from tests.support.fixed_shoes import at_once, play_out, sat_down
from tests.support.players import signed_up
from tests.support.steering import all_drop_but, one_loses_eighty
from tests.support.tables import Client, terms
from wallet import adjustments
from wallet.audit import nightly, requests
from wallet.audit_log.services import Actor
from wallet.base.findings import ALTERED, REGISTERED_CHECKS, Finding, register
from wallet.finance import exports
from wallet.responsible_gaming import services as responsible_gaming

#: How long ago they played.
AGO = timedelta(days=3)
POOL = {"book": "standard-pool-101", "point_value": 0, "minimum": 0, "entry": 500}


@contextmanager
def silence() -> Iterator[Clock]:
    """Drop all messages, and replace the database's clock by one that the test sets."""
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "now_ms", lambda: clock.now)
        patch.setattr(broadcast, "send", lambda group, message: None)
        patch.setattr(clocks, "_nudge", lambda table_id, delay: None)
        yield clock


def build() -> None:
    """Play and do everything that writes rows."""
    with silence() as clock:
        with time_machine.travel(timezone.now() - AGO, tick=True):
            clock.now -= AGO // timedelta(milliseconds=1)
            House(clock).play()
        keep_books()


class House:
    """The tables and their players."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.players: dict[str, Any] = {}

    def play(self) -> None:
        for name in ("asha", "bela", "chand", "dina", "eela", "farid", "gita", "hari"):
            self.players[name] = signed_up(name)
        acts = (self._points, self._pool, self._cancelled, self._practice, self._fixed_shoes, self._tournament)
        for act in (*acts, self._stopped, self._running):
            self.clock.now += 60_000
            act()

    def _open(self, title: str, *names: str, **changes: Any) -> list[Client]:
        place = open_table(terms=terms(**changes), title=title, currency="FUN")
        clients = [self._sit(place, name) for name in names]
        self.clock.now += 10_000
        play.tick(table_id=place.pk)
        return clients

    def _sit(self, place: Table, name: str) -> Client:
        user = self.players[name]
        play.sit(table_id=place.pk, user=user, amount=None)
        connections.connect(table_id=place.pk, user_id=user.pk, connection=f"c{user.pk}")
        return Client(place.pk, user, f"c{user.pk}")

    def _points(self) -> None:
        """Play points: a drop, added chips, a wrong show; then one leaves and another comes."""
        clients = self._open("Points", "asha", "bela")
        self._first(clients).send("drop", id="first")
        clients[0].send("add_chips", amount=100, id="second")
        self._go_on(clients)
        one_loses_eighty(clients[1], clients[0], clients)
        clients[1].send("leave")
        self._sit(Table.objects.get(title="Points"), "dina")

    def _pool(self) -> None:
        """Eliminate Bela and let her rejoin; then both others leave and she has won."""
        clients = self._open("Pool", "bela", "chand", "eela", seats=3, **POOL)
        one_loses_eighty(clients[0], clients[1], clients)
        for _ in range(2):
            if clients[0].view()["phase"] != "playing":
                self._go_on(clients)
            all_drop_but(clients[1], clients)
        clients[0].send("rejoin", accept=True)
        clients[2].send("rejoin", accept=True)
        for client in clients[1:]:
            client.send("leave")

    def _cancelled(self) -> None:
        clients = self._open("Best of three", "bela", "chand", seats=2, **{**POOL, "book": "standard-deals-3"})
        match = Match.objects.get(table=clients[0].table)
        staff.cancel_match(match_id=match.pk, reason="The light went out", actor=Actor("the platform"))

    def _practice(self) -> None:
        user = self.players["bela"]
        place = open_table(terms=terms(), title="Practice", currency="FUN", practice_for=user, computers=1)
        client = self._sit(place, "bela")
        self.clock.now += 10_000
        play.tick(table_id=place.pk)
        self._until_over(client)
        client.send("leave")

    def _until_over(self, client: Client) -> None:
        """Let the computer play its turns, and drop the player at theirs."""
        while client.view()["phase"] == "playing":
            if client.view()["deal"]["turn_seat"] == client.me["seat"]:
                client.send("drop")
            else:
                self.clock.now += 5_000
                play.tick(table_id=client.table)

    def _fixed_shoes(self) -> None:
        """Have the deal of the day played, and a duplicate match made."""
        daily.open_match(user=self.players["chand"])
        client = sat_down(daily.todays_shoe(timezone.now()), self.players["bela"])
        play_out(client, self.clock, at_once)
        client.send("leave")

    def _tournament(self) -> None:
        rules = {"most": 2, "seats": 2, "deals": 1, "entry": 100, "fee_percent": 10, "prizes": [100]}
        tournament = tournaments.opened(self.clock, **rules)
        tournaments.entered(tournament, 2)
        tournaments.play_on(self.clock, tournament)

    def _stopped(self) -> None:
        clients = self._open("Stopped", "farid", "gita")
        staff.freeze_table(table_id=clients[0].table, reason="Somebody complained", actor=Actor("the platform"))

    def _running(self) -> None:
        clients = self._open("Running", "chand", "eela", "hari", seats=3, **{**POOL, "book": "standard-pool-201"})
        self._first(clients).send("draw", pile="closed", id="third")

    def _go_on(self, clients: list[Client]) -> None:
        """Let all continue, and the clocks before the next deal run out."""
        client = clients[0]
        for each in clients:
            each.send("continue")
        while client.view()["phase"] in ("result", "starting"):
            self.clock.now = client.view()["clock"]["deadline"]
            play.tick(table_id=client.table)

    @staticmethod
    def _first(clients: list[Client]) -> Client:
        turn = clients[0].view()["deal"]["turn_seat"]
        return next(client for client in clients if client.me["seat"] == turn)


def keep_books() -> None:
    """Let staff do what they do after play."""
    people = get_user_model().objects
    fina = people.create_user(username="fina", password="a long one", is_staff=True, is_superuser=True)
    omar = people.create_user(username="omar", password="a long one", is_staff=True)
    dina = people.get(username="dina")
    by: Callable[[Any], Actor] = lambda user: Actor(user.username, user)  # noqa: E731

    def ask(request: str, amount: int) -> Any:
        return adjustments.ask(
            request_id=request, player=dina, currency="FUN", amount=amount, reason="A gift", actor=by(fina)
        )

    ask("small", 100)
    adjustments.grant(row=ask("large", 5000), reason="Deserved", actor=by(omar))
    adjustments.refuse(row=ask("larger", 6000), reason="Too much", actor=by(omar))
    ask("waiting", 7000)
    leave_notes(fina, omar)
    nightly.run_nightly()
    register(an_alarm)
    nightly.run_nightly()
    REGISTERED_CHECKS.remove(an_alarm)
    nightly.lift_freeze(by(fina), "It was a drill")
    nightly.lift_freeze(by(omar), "So it was")
    day = (timezone.now() - AGO).date()
    period = exports.Period(first=day - timedelta(days=1), last=day + timedelta(days=1))
    with exports.export(period=period, format="csv", by=fina, via="page"):
        pass
    nightly.run_nightly()


def leave_notes(fina: Any, omar: Any) -> None:
    """Write every other kind of record: a sign-in, a note, reports, a break, an outage, a known difference."""
    by = Actor("fina", fina)
    deal = Deal.objects.filter(status="over").order_by("pk")[0]
    asha = get_user_model().objects.get(pk=deal.seats.order_by("pk")[0].user_id)
    SignIn.objects.create(player=asha, client="a browser", address="127.0.0.1")
    backoffice.add_note(asha, "Calls often", by)
    reports.send_report(reporter=asha, deal_id=deal.pk, about="other", seat=None, text="Odd cards")
    reports.close_report(Report.objects.get(), "All was well", by)
    reports.send_complaint(reporter=None, address=None, about="account", text="Chips are missing", language="en")
    responsible_gaming.exclude(user=asha, period="day")
    Outage.objects.create(began_ms=START - 5_000 - 86_400_000 * 4, ended_ms=START - 4_000 - 86_400_000 * 4)
    acknowledgement = requests.request_acknowledgement(
        check="drill", subject="nothing", message="was wrong", reason="Long ago", actor=by
    )
    requests.grant(acknowledgement, "So it is", Actor("omar", omar))


def an_alarm() -> Iterator[Finding]:
    yield Finding("drill", "nothing", ALTERED, "something", "nothing")
