"""The check that every tournament is what follows from its entrants, its tables and the books.

What each deal counted is added up again from the rows of the deals, which another check compares with the events. From
that follow who went on, places and prizes, and from those what must be posted.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import combinations, zip_longest
from typing import Any

from django.db.models import Max, Min

from rules.books import book, with_deals
from rules.game import Place
from rules.payouts import fee
from rules.tournaments import (
    PlacedShowing,
    Showing,
    best_of,
    draw_commitment,
    going_on,
    placed,
    prizes_of,
    rounds_of,
    table_sizes,
)
from tables.log.reading import latest_state
from tables.log.sealing import DRAWS
from tables.models import DealSeat, Entrant, Outage, Round, Seating, Table, Tournament, TournamentKind
from tables.play.entrants import ARENA_CHIPS
from tables.play.outages import AHEAD_MS
from tables.play.store import moment
from tables.standings import COUNTED
from tables.tournaments.knockout import proof_of_draw
from wallet.audit_log.models import AuditEntry
from wallet.base.findings import ALTERED, Differences, FaultsFound, Finding, in_order, register
from wallet.ledger import selectors as ledger
from wallet.ledger.selectors import Entry

Status = Tournament.Status
#: Those who count among the entered.
IN_PLAY = (Entrant.Status.IN, Entrant.Status.OUT, Entrant.Status.LEFT)


@dataclass(slots=True)
class DealSums:
    """What somebody's finished deals in one round add up to; `round` is 0 in an arena."""

    chips: int
    deals: int = 0
    deals_won: int = 0
    points_lost: int = 0
    refilled: bool = False

    def add(self, seat: DealSeat) -> None:
        self.deals += 1
        self.deals_won += seat.outcome == "won"
        self.points_lost += seat.points
        self.chips = self.chips + seat.amount if seat.total is None else seat.total
        if seat.total is None and self.chips <= 0 and not self.refilled:
            self.chips, self.refilled = self.chips + ARENA_CHIPS, True


@register
def tournaments_add_up() -> Differences:
    """Find tournaments whose places, prizes, chips or refunds are not those that follow from what was played."""
    follow, removed, told = 0, _removed(), _told()
    for tournament in Tournament.objects.order_by("pk").iterator(chunk_size=100):
        audit = TournamentAudit(tournament, removed, told)
        for subject, expected, found in audit.faults():
            yield Finding("tournament", subject, ALTERED, expected, found)
        follow += audit.postings
    if follow != (posted := ledger.count_of_tournaments()):
        yield Finding("tournament", "postings of tournaments", ALTERED, f"{follow}", f"{posted}")
    for subject in _strays():
        yield Finding("tournament", subject, ALTERED, "what it is part of", "something else")


def _strays() -> Iterator[str]:
    """Yield tables and seatings that name a tournament that is not there, or an entrant at a table of none."""
    there = Tournament.objects.values("pk")
    tables = Table.objects.filter(tournament_id__isnull=False).exclude(tournament_id__in=there)
    yield from (f"table {pk}" for pk in tables.order_by("pk").values_list("pk", flat=True))
    seatings = Seating.objects.filter(table__tournament_id=None, entrant_id__isnull=False)
    yield from (f"seating {pk}" for pk in seatings.order_by("pk").values_list("pk", flat=True))


def _removed() -> Mapping[int, str]:
    """Return the entrants whom staff have removed, each with the status that they had, as the trail tells."""
    acts = AuditEntry.objects.filter(action="tournament.remove", target_type=Entrant._meta.label_lower)
    told = acts.values_list("target_id", "before")
    return {int(pk): (before or {}).get("status") or Entrant.Status.IN for pk, before in told}


def _told() -> Mapping[int, Mapping[str, Any]]:
    """Return how each tournament was when staff last made, paused or resumed it, as the trail tells."""
    acts = ("tournament.make", "tournament.pause", "tournament.resume")
    entries = AuditEntry.objects.filter(action__in=acts, target_type=Tournament._meta.label_lower)
    return {int(pk): after or {} for pk, after in entries.order_by("pk").values_list("target_id", "after")}


def _outages_since(ms: int) -> int:
    """Return for how long, in ms, nobody served since then."""
    outages = Outage.objects.filter(ended_ms__gt=ms).values_list("began_ms", "ended_ms")
    return sum(max(0, ended - began) for began, ended in outages)


class TournamentAudit:
    """The audit of one tournament; `postings` counts those of the ledger that follow from it."""

    def __init__(
        self, tournament: Tournament, removed: Mapping[int, str], told: Mapping[int, Mapping[str, Any]]
    ) -> None:
        self.tournament = tournament
        self.removed, self.told = removed, told.get(tournament.pk, {})
        self.subject = f"tournament {tournament.pk}"
        self.postings = 0
        self.entrants = {entrant.pk: entrant for entrant in tournament.entrants.order_by("pk")}
        self.arena = tournament.kind == TournamentKind.ARENA
        rules = with_deals(book(tournament.book, tournament.book_version), tournament.deals)
        self.first = ARENA_CHIPS if self.arena else rules.first_total
        self.counted = self._counted()
        rounds = Round.objects.select_related("tournament").filter(tournament=tournament)
        self.rounds = list(rounds.order_by("number"))
        self.drawn = [row for row in self.rounds if row.began_ms is not None]
        self.there = [pk for pk, entrant in self.entrants.items() if entrant.status == Entrant.Status.IN]
        self.alone = self._left_alone()

    def faults(self) -> FaultsFound:
        """Yield whatever does not follow."""
        yield from self._seats()
        yield from self._statuses()
        yield from self._counts()
        yield from self._rounds()
        yield from self._starts()
        yield from self._ends()
        if self.tournament.status == Status.OVER:
            yield from self._places()
        yield from self._money()
        yield from self._chips()

    def _counted(self) -> Mapping[tuple[int, int], DealSums]:
        """Return what the finished deals of each entrant add up to, by entrant and round."""
        counted: dict[tuple[int, int], DealSums] = defaultdict(lambda: DealSums(self.first))
        seats = DealSeat.objects.filter(seating__table__tournament_id=self.tournament.pk).exclude(outcome="")
        # As they ended: a table that stood still may go on after others. The refill of an arena depends on it.
        for seat in seats.select_related("seating__table").order_by("deal__ended_at", "deal_id", "seat").iterator():
            counted[seat.seating.entrant_id or 0, seat.seating.table.round or 1].add(seat)
        return counted

    def _in_round(self, pk: int, number: int) -> DealSums:
        return self.counted.get((pk, number), DealSums(self.first))

    def _seats(self) -> FaultsFound:
        seatings = Seating.objects.filter(table__tournament_id=self.tournament.pk).select_related("table")
        for seating in seatings.order_by("pk").iterator(chunk_size=500):
            entrant = self.entrants.get(seating.entrant_id or 0)
            if entrant is None or entrant.user_id != seating.user_id:
                yield f"seating {seating.pk}", "an entrant of its tournament", "another"
            if (seating.table.round is None) != self.arena:
                yield f"table {seating.table_id}", "a round as its tournament has", f"{seating.table.round}"

    def _statuses(self) -> FaultsFound:
        """Find who was removed by no act, left no table, or is out or has left where nobody can be."""
        left = self._left()
        for pk, entrant in self.entrants.items():
            found = f"{entrant.status}"
            if (entrant.status == Entrant.Status.REMOVED) != (pk in self.removed):
                yield (
                    f"entrant {pk}",
                    f"{'removed' if pk in self.removed else 'not removed'}, as the trail tells",
                    found,
                )
            elif entrant.status != Entrant.Status.REMOVED and (entrant.status == Entrant.Status.LEFT) != (pk in left):
                yield f"entrant {pk}", f"{'left' if pk in left else 'not left'}, as the tables tell", found
            elif self.arena and entrant.status == Entrant.Status.OUT:
                yield f"entrant {pk}", "nobody out of an arena", found

    def _left(self) -> Set[int]:
        """Return who has left a table of a knock-out that went on; one leaves an arena until one comes back."""
        seatings = Seating.objects.filter(table__tournament_id=self.tournament.pk, left_at__isnull=False)
        seatings = seatings.none() if self.arena else seatings.select_related("table")
        return {seating.entrant_id or 0 for seating in seatings.iterator(chunk_size=500) if self._has_left(seating)}

    def _has_left(self, seating: Seating) -> bool:
        """Return whether its player left before its table closed: of the same moment the state of the table tells."""
        closed_at, entrant = seating.table.closed_at, self.entrants.get(seating.entrant_id or 0)
        if closed_at is None or seating.left_at is None or seating.left_at < closed_at:
            return True
        if entrant is None or entrant.status != Entrant.Status.LEFT:
            return False
        try:
            holder = latest_state(seating.table).seats[seating.seat]
        except Exception:
            # Another check says that it cannot be read.
            return True
        # Where a table is cancelled all seats are free afterwards.
        return holder is None or holder.place is Place.GONE

    def _counts(self) -> FaultsFound:
        staying = sum(
            entrant.status in IN_PLAY or (entrant.status == Entrant.Status.REMOVED and entrant.round > 0)
            for entrant in self.entrants.values()
        )
        if self.tournament.entered != staying:
            yield f"{self.subject}, entered", f"{staying}", f"{self.tournament.entered}"
        for entrant in self.entrants.values():
            # Of who was left alone the counts are those of the round before.
            counted = self._in_round(entrant.pk, entrant.round - (entrant.pk == self.alone))
            stored = DealSums(entrant.chips, entrant.deals, entrant.deals_won, entrant.points_lost, entrant.refilled)
            if entrant.round and stored != counted:
                yield f"entrant {entrant.pk}", f"{counted} by the deals", f"{stored}"

    def _left_alone(self) -> int | None:
        """Return who had nobody left to draw the next round with, which then counts as played."""
        is_over = bool(self.drawn) and self.drawn[-1].tables > 1 and self.tournament.status == Status.OVER
        return self.there[0] if is_over and len(self.there) == 1 else None

    def _rounds(self) -> FaultsFound:
        rows, drawn = self.rounds, self.drawn
        if [row.number for row in rows] != list(range(1, len(rows) + 1)) or len(drawn) != self.tournament.round:
            yield f"{self.subject}, rounds", f"{self.tournament.round} drawn", f"{[row.number for row in drawn]}"
        for row, after in zip_longest(drawn, drawn[1:]):
            try:
                yield from self._draw(row, after)
            except Exception as fault:
                yield f"round {row.pk}", "a draw that can be read", type(fault).__name__
        yield from (fault for row in rows if row.began_ms is None for fault in self._promise(row))
        if drawn:
            yield from self._reached()
        # 1.0.0 reckoned how many there are at the first draw alone.
        due = {self._known_at(row) for row in (*drawn[:1], *drawn[-1:])} or {0}
        if self.tournament.rounds not in due:
            yield f"{self.subject}, rounds", f"{max(due)}", f"{self.tournament.rounds}"

    def _known_at(self, row: Round) -> int:
        """Return how many rounds there are, if nobody leaves after this draw."""
        made = rounds_of(len(row.entrants), self.tournament.seats, self.tournament.go_on)
        return row.number - 1 + len(made)

    def _promise(self, row: Round) -> FaultsFound:
        """Find a round to come whose seed is not the one that was promised."""
        try:
            found = draw_commitment(row.tournament_id, row.number, DRAWS.unseal(row))
        except Exception as fault:
            found = type(fault).__name__
        if found != row.commitment:
            yield f"round {row.pk}", f"a seed for its commitment {row.commitment[:16]}", found[:16]

    def _draw(self, row: Round, after: Round | None) -> FaultsFound:
        proof = proof_of_draw(row)
        if not proof["honest"] or len(proof["tables"]) != row.tables:
            yield f"round {row.pk}", "the seats that its seed gives", "others"
        if row.entrants != sorted(set(row.entrants)) or not set(row.entrants) <= self.entrants.keys():
            yield f"round {row.pk}", "entrants in the order of entry", f"{row.entrants}"
        if after is not None or (row.ended_ms is not None and row.tables > 1):
            went_on = after.entrants if after is not None else self.there
            for party in proof["tables"]:
                yield from self._went_on(party, row, set(party) & set(went_on))

    def _went_on(self, party: list[int], row: Round, went_on: Set[int]) -> FaultsFound:
        """Find a table from which others went on than its best who were there when the round ended.

        Who was removed while they were in it was there or not: that was before its end, or in the break after it.
        """
        sizes = table_sizes(len(row.entrants), self.tournament.seats)
        staying = going_on(sizes, self.tournament.seats, self.tournament.go_on)
        there = {pk for pk in party if not self._ended_in(row, pk, Entrant.Status.LEFT)}
        removed = {pk for pk in there & self.removed.keys() if self._ended_in(row, pk, Entrant.Status.IN)}
        for gone in (set(some) for count in range(1 + len(removed)) for some in combinations(sorted(removed), count)):
            best = {each.entry for each in best_of([self._showing(pk, row.number) for pk in there - gone], staying)}
            if best - removed == went_on:
                return
        yield f"round {row.pk}", f"{sorted(best - removed)} of {party} going on", f"{sorted(went_on)}"

    def _ended_in(self, row: Round, pk: int, status: str) -> bool:
        """Return whether it was the last round of the entrant, and left them with this status, unless removed later."""
        entrant = self.entrants[pk]
        return entrant.round == row.number and self.removed.get(pk, entrant.status) == status

    def _reached(self) -> FaultsFound:
        """Find who has reached another round of a knock-out than the last that they were drawn for."""
        reached = {pk: row.number for row in self.drawn for pk in row.entrants}
        for pk, entrant in self.entrants.items():
            due = reached.get(pk, 0) + (pk == self.alone)
            if entrant.round != due or (not due and entrant.status in IN_PLAY):
                yield f"entrant {pk}", f"round {max(due, 1)}, by the draws", f"{entrant.round}"

    def _showing(self, pk: int, number: int) -> Showing:
        counted = self._in_round(pk, number)
        reached = int(counted.deals >= self.tournament.least_deals) if self.arena else number
        return Showing(pk, reached, counted.chips, counted.deals_won, counted.points_lost)

    def _ranked(self) -> tuple[PlacedShowing, ...]:
        counting = [entrant for entrant in self.entrants.values() if entrant.status in COUNTED]
        ranked = placed([self._showing(entrant.pk, entrant.round) for entrant in counting])
        return tuple((place, shown) for place, shown in ranked if shown.round)

    def _starts(self) -> FaultsFound:
        """Find one that began at no moment, or at another than the trail tells, or than its tables allow.

        None opens before the start, or after the end of an arena. A start is put off, until it has come.
        """
        row, told, subject = self.tournament, self.told.get("starts_ms"), f"{self.subject}, start"
        has_begun = row.status in (Status.RUNNING, Status.OVER)
        if has_begun and self.arena and row.ends_ms is None:
            yield f"{self.subject}, end", "a moment", "none"
        if row.starts_ms is None:
            if has_begun or told is not None:
                yield subject, f"{told or 'a moment'}", "none"
            return
        has_come = self.told.get("status") == Status.RUNNING
        if told is not None and (row.starts_ms < told or (has_come and row.starts_ms != told)):
            yield subject, f"{told}{'' if has_come else ' or later'}, as the trail tells", f"{row.starts_ms}"
        opened = Table.objects.filter(tournament_id=row.pk).aggregate(first=Min("opened_at"), last=Max("opened_at"))
        if not in_order(moment(row.starts_ms - AHEAD_MS), opened["first"]):
            yield subject, f"no table before {row.starts_ms}", f"one of {opened['first']}"
        if row.ends_ms is not None and not in_order(opened["last"], moment(row.ends_ms)):
            yield f"{self.subject}, end", f"no table after {row.ends_ms}", f"one of {opened['last']}"

    def _ends(self) -> FaultsFound:
        """Find an arena that ends before its time, or later than pauses and outages have put that off."""
        row, subject = self.tournament, f"{self.subject}, end"
        if not self.arena or row.starts_ms is None or row.ends_ms is None:
            return
        due = row.starts_ms + row.minutes * 60_000
        latest = max(due, self.told.get("ends_ms") or 0)
        if row.ends_ms > latest:
            # Few do: for those alone the outages are read.
            latest += _outages_since(row.starts_ms)
        if row.ends_ms < due:
            yield subject, f"{due} at the earliest, as it was published", f"{row.ends_ms}"
        elif row.ends_ms > latest:
            yield subject, f"{latest} at the latest, by what the trail tells of pauses", f"{row.ends_ms}"
        if row.status == Status.OVER and (row.over_ms or 0) < row.ends_ms:
            yield subject, f"nobody to have won before {row.ends_ms}", f"{row.over_ms}"

    def _places(self) -> FaultsFound:
        expected, prizes = {shown.entry: place for place, shown in self._ranked()}, self._prizes()
        for pk, entrant in self.entrants.items():
            if (entrant.place, entrant.prize) != (expected.get(pk), prizes.get(pk, 0)):
                follows = f"place {expected.get(pk)} and {prizes.get(pk, 0)} by the deals"
                yield f"entrant {pk}", follows, f"place {entrant.place} and {entrant.prize}"
        if self.tournament.fee != self._fee():
            yield f"{self.subject}, fee", f"{self._fee()}", f"{self.tournament.fee}"

    def _prizes(self) -> dict[int, int]:
        """Return the prize of each entrant with a place, by its id."""
        ranked = self._ranked()
        won = prizes_of(self._pot() - self._fee(), self.tournament.prizes, ranked)
        return {shown.entry: prize for (_, shown), prize in zip(ranked, won, strict=True)}

    def _fee(self) -> int:
        return fee(self._pot(), self.tournament.fee_percent)

    def _pot(self) -> int:
        return self.tournament.entry * len(self._paying())

    def _paying(self) -> list[Entrant]:
        return [e for e in self.entrants.values() if e.user_id is not None and e.status != Entrant.Status.WITHDRAWN]

    def _money(self) -> FaultsFound:
        expected = dict(self._expected()) if self.tournament.entry else {}
        posted = ledger.posted(list(expected))
        self.postings = len(posted)
        for key, (reason, entries) in expected.items():
            actual = posted.get(key)
            if actual is None:
                yield f"posting {key}", f"{entries}", "none"
            elif (actual.reason, actual.currency, sorted(actual.entries)) != (reason, "FUN", sorted(entries)):
                yield f"posting {key}", f"{entries}", f"{actual.entries}"

    def _expected(self) -> Iterator[tuple[str, tuple[str, list[Entry]]]]:
        """Yield what must be posted, worked out in accounts and amounts: key, reason and entries."""
        name, entry = f"tournament:{self.tournament.pk}", self.tournament.entry
        pot, balance = ("pot", name), {e.pk: ("player", f"user:{e.user_id}") for e in self.entrants.values()}
        for entrant in self.entrants.values():
            if entrant.user_id is not None:
                yield f"entrant:{entrant.pk}:entry", ("t_entry", [Entry(balance[entrant.pk], pot, entry)])
            if entrant.status == Entrant.Status.WITHDRAWN:
                yield f"entrant:{entrant.pk}:refund", ("t_refund", [Entry(pot, balance[entrant.pk], entry)])
        if self.tournament.status == Status.OVER:
            won = [Entry(pot, balance[pk], prize) for pk, prize in self._prizes().items() if prize]
            charged = [Entry(pot, ("fees", "house"), self._fee())] if self._fee() else []
            yield f"{name}:prizes", ("t_prize", won + charged)
        elif self.tournament.status == Status.CANCELLED and self._paying():
            back = [Entry(pot, balance[entrant.pk], entry) for entrant in self._paying()]
            yield f"{name}:refund", ("t_refund", back)

    def _chips(self) -> FaultsFound:
        """Find chips that lie elsewhere than at its tables, or still there when it is over."""
        issued = ledger.chips_of_tournament(self.tournament.pk)
        seatings = Seating.objects.filter(table__tournament_id=self.tournament.pk)
        there = 0 if self.tournament.over_ms else ledger.chips_on_stacks(seatings.values_list("pk", flat=True))
        if issued != there:
            yield f"{self.subject}, chips", f"{there} at its tables", f"{issued} issued and not taken back"
