"""Tournaments as plain values, for API and pages: their rules, rounds and draws, places, and one's own part."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, TypedDict

from django.db.models import F, Prefetch, Q, QuerySet

from lobby.accounts import access
from rules.payouts import fee
from tables.errors import no_such_tournament
from tables.language import translated_name
from tables.models import DealSeat, Entrant, Round, Seating, Table, Tournament, TournamentKind
from tables.play.store import moment
from tables.standings import ABSENT_AFTER, COUNTED, standing, standings_of
from tables.tournaments import services
from tables.tournaments.ending import removed
from tables.tournaments.knockout import DrawProof, proof_of_draw, seats_taken
from tables.watching.pictures import round_is_watched
from wallet.base.queries import in_list
from wallet.language import gettext as _
from wallet.responsible_gaming import admission, selectors as responsible_gaming_selectors

Status = Tournament.Status
#: So many entrants are on a page of the places.
PAGE_SIZE = 50
#: So many are shown before one asks for all.
FIRST_PLACES = 5
#: So many running tables are listed.
MOST_TABLES = 12
#: What is published of who is in: nobody is told apart who was removed.
EntrantStatus = Literal["in", "out", "left"]
SHOWN_STATUS: Mapping[str, EntrantStatus] = {
    Entrant.Status.IN: "in",
    Entrant.Status.OUT: "out",
    Entrant.Status.LEFT: "left",
}


def listed(status: str | None = None, kind: str | None = None) -> QuerySet[Tournament]:
    """Return the tournaments of that status and kind; None: any."""
    asked = {"status": status, "kind": kind}
    return Tournament.objects.filter(**{column: value for column, value in asked.items() if value})


def tournament_of(tournament_id: int) -> Tournament:
    """Return the tournament of that number. TableError `not_found`."""
    tournament = Tournament.objects.filter(pk=tournament_id).first()
    if tournament is None:
        raise no_such_tournament()
    return tournament


class PrizeShare(TypedDict):
    place: int
    share_percent: Annotated[int, "Of what was entered, after the fee; whole units."]


class TournamentAnswer(TypedDict):
    id: int
    title: str
    kind: Annotated[str, TournamentKind.values]
    book: str
    seats: Annotated[int, "The most at a table."]
    status: Annotated[str, Tournament.Status.values]
    paused: Annotated[bool, "By staff: nothing begins until they let it go on."]
    entry: Annotated[int, "0: free."]
    fee: Annotated[int, "What the house takes of all entries, as many as there are now."]
    fee_percent: int
    currency: str
    least: Annotated[int, "With fewer it is cancelled, and all entries go back."]
    most: int
    entered: int
    opens_at: datetime
    starts_at: Annotated[datetime | None, "Null: when it is full."]
    ends_at: Annotated[datetime | None, "Of an arena: from here on no deal begins."]
    deals: Annotated[int | None, "Of a round; null in an arena."]
    least_deals: Annotated[int | None, "Of an arena: so many for a place."]
    go_on: Annotated[int | None, "Of a knock-out: so many of each table at least."]
    prizes: list[PrizeShare]


def tournament_values(tournament: Tournament) -> TournamentAnswer:
    """Return what is published of a tournament; amounts in the smallest unit of `currency`, moments with UTC.

    `fee` is what the house takes of all entries, as many as there are now.
    """
    over, in_pot = tournament.over_ms is not None, tournament.entered + removed([tournament])[tournament.pk, False]
    return {
        "id": tournament.pk,
        "title": tournament.title,
        "kind": tournament.kind,
        "book": tournament.book,
        "seats": tournament.seats,
        "status": tournament.status,
        "paused": tournament.paused_ms is not None,
        "entry": tournament.entry,
        "fee": tournament.fee if over else fee(tournament.entry * in_pot, tournament.fee_percent),
        "fee_percent": tournament.fee_percent,
        "currency": "FUN",
        "least": tournament.least,
        "most": tournament.most,
        "entered": tournament.entered,
        "opens_at": moment(tournament.opens_ms),
        "starts_at": _moment(tournament.starts_ms),
        "ends_at": _moment(ends_ms(tournament)),
        "deals": None if tournament.kind == TournamentKind.ARENA else tournament.deals,
        "least_deals": tournament.least_deals if tournament.kind == TournamentKind.ARENA else None,
        "go_on": None if tournament.kind == TournamentKind.ARENA else tournament.go_on,
        "prizes": [{"place": place, "share_percent": share} for place, share in enumerate(tournament.prizes, start=1)],
    }


def ends_ms(tournament: Tournament) -> int | None:
    """Return when an arena ends, as far as its start is known; None for a knock-out."""
    if tournament.kind != TournamentKind.ARENA or tournament.ends_ms is not None or tournament.starts_ms is None:
        return tournament.ends_ms
    return tournament.starts_ms + tournament.minutes * 60_000


def _moment(ms: int | None) -> Any:
    return None if ms is None else moment(ms)


class NamedDraw(DrawProof):
    names: Annotated[dict[int, str], "The name of each entrant, by number."]


class RoundAnswer(TypedDict):
    number: int
    begins_at: datetime | None
    ends_at: datetime | None
    tables: int
    commitment: str
    proof: Annotated[NamedDraw | None, "Null until its seats are drawn."]


def rounds_with_draws(tournament: Tournament) -> list[RoundAnswer]:
    """Return the rounds, each with the commitment to its draw, and its proof once its seats are drawn."""
    rounds = Round.objects.filter(tournament=tournament).select_related("tournament").order_by("number")
    return [
        {
            "number": row.number,
            "begins_at": _moment(row.began_ms),
            "ends_at": _moment(_ended_ms(row, tournament)),
            "tables": row.tables,
            "commitment": row.commitment,
            "proof": None if row.began_ms is None else _proof(row),
        }
        for row in rounds
    ]


def _ended_ms(row: Round, tournament: Tournament) -> int | None:
    """Return when the round ended: the one that was played when the tournament was cancelled, with it."""
    return tournament.over_ms if row.ended_ms is None and row.began_ms is not None else row.ended_ms


def _proof(row: Round) -> NamedDraw:
    """Return the proof of the draw with the tables as they were really taken, and the names of the entrants."""
    entrants = Entrant.objects.filter(in_list("pk", row.entrants)).values_list("pk", "name")
    names = {pk: translated_name(name) for pk, name in entrants}
    return {**proof_of_draw(row), "tables": seats_taken(row), "names": names}


def shown_rounds(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the rounds without their draws, for the page: those played, and the next one with its commitment."""
    rounds = Round.objects.filter(tournament=tournament).order_by("number")
    return [
        {
            "number": each.number,
            "commitment": each.commitment,
            "tables": each.tables,
            "began_at": _moment(each.began_ms),
            "ended_at": _moment(_ended_ms(each, tournament)),
        }
        for each in rounds
        if each.began_ms is not None or each.number <= max(1, tournament.rounds)
    ]


def own_entrant(tournament: Tournament, user: Any) -> Entrant | None:
    """Return the user's part in the tournament; None for who is not in it, or withdrew."""
    return services.find_entrant(tournament.pk, user) if user.is_authenticated else None


def taken_out(tournaments: Iterable[Tournament], user: Any) -> set[int]:
    """Return out of which of these tournaments the platform took the user before they began."""
    return set(services.taken_out([each.pk for each in tournaments], user)) if user.is_authenticated else set()


def why_taken_out(tournament: Tournament, user: Any) -> str:
    """Return why the platform took the user out before it began, by what was recorded then; empty if it did not."""
    entrant = services.taken_out([tournament.pk], user).get(tournament.pk) if user.is_authenticated else None
    if entrant is None:
        return ""
    # Exclusions and the trail are dated by other clocks than changes at tables, which are a minute apart at most.
    at = moment(entrant.changed_ms) + timedelta(minutes=1)
    if responsible_gaming_selectors.was_excluded(user.pk, at):
        why = _("You were taken out of this tournament before it began: you were on a break from play.")
    elif access.was_locked(user.pk, at):
        why = _("You were taken out of this tournament as it began: your account was locked.")
    else:
        why = _("You were taken out of this tournament as it began: your time to play was over.")
    return f"{why} {_('Your whole entry is back.')}" if tournament.entry else why


def why_not_paired(entrant: Entrant) -> str:
    """Return why the person is seated no more in a running arena: by a break from play, or a limit of theirs.

    Empty where they may be, or play a deal just now.
    """
    tournament = entrant.tournament
    running = tournament.status == Status.RUNNING and entrant.status == Entrant.Status.IN
    if not running or tournament.kind != TournamentKind.ARENA or _table_of(entrant) is not None:
        return ""
    return "".join(refusal.message for refusal in admission.barred([entrant.user_id or 0]).values())


class OwnPart(TypedDict):
    entered: bool
    status: EntrantStatus
    chips: int
    place: int | None
    table: Annotated[int | None, "Where you play now."]
    automatic: Annotated[bool, "You were away, and are dropped at each deal until you are back."]
    away: Annotated[bool, "In an arena: you are not paired until you are back."]
    prize: int


def own_values(tournament: Tournament, entrant: Entrant) -> OwnPart:
    """Return the entrant's own part: chips, place, the table where they play now, whether they are dropped or away."""
    table = _table_of(entrant)
    running = tournament.status == Status.RUNNING
    away = running and tournament.kind == TournamentKind.ARENA and table is None and entrant.waits_ms is None
    return {
        "entered": entrant.status == Entrant.Status.IN or tournament.status in (Status.RUNNING, Status.OVER),
        "status": SHOWN_STATUS.get(Entrant.Status(entrant.status), "out"),
        "chips": entrant.chips,
        "place": _own_place(tournament, entrant),
        "table": table,
        "automatic": running and entrant.automatic >= ABSENT_AFTER,
        "away": away and entrant.status == Entrant.Status.IN,
        "prize": entrant.prize,
    }


def _table_of(entrant: Entrant) -> int | None:
    seat = Seating.objects.filter(entrant_id=entrant.pk, left_at=None, table__status=Table.Status.OPEN)
    return seat.order_by("-id").values_list("table_id", flat=True).first()


def _own_place(tournament: Tournament, entrant: Entrant) -> int | None:
    if tournament.status == Status.OVER:
        return entrant.place
    if tournament.status != Status.RUNNING:
        return None
    standings = standings_of(tournament.pk)
    return next((standings.place_of(counted) for counted in standings.read_anew([entrant.pk])), None)


class PlaceAnswer(TypedDict):
    id: Annotated[int, "The number that the draws name them by."]
    place: Annotated[
        int | None, "Equals share one. Null before the start, and in an arena before the least number of deals."
    ]
    name: str
    bot: bool
    chips: int
    deals_won: int
    points_lost: int
    status: EntrantStatus
    prize: int
    refilled: Annotated[bool, "In an arena: they have had their chips once more."]


@dataclass(frozen=True, slots=True)
class PlacesPage:
    """A page of the places: its rows, and where the pages before and after it begin, None where there is none."""

    rows: list[PlaceAnswer]
    before: int | None
    after: int | None


def places_page(tournament: Tournament, first: int, size: int = PAGE_SIZE) -> PlacesPage:
    """Return `size` entrants from number `first` on, best first: live while it runs, as stored once it is over.

    Before the start they stand in the order of entry, without places.
    """
    entrants = list(_in_order(tournament)[first : first + size + 1])
    shown = entrants[:size]
    return PlacesPage(
        rows=[_line(entrant, place) for entrant, place in zip(shown, _places(tournament, shown, first), strict=True)],
        before=max(0, first - size) if first else None,
        after=first + size if len(entrants) > size else None,
    )


def _line(entrant: Entrant, place: int | None) -> PlaceAnswer:
    return {
        "id": entrant.pk,
        "place": place,
        "name": translated_name(entrant.name),
        "bot": entrant.is_computer,
        "chips": entrant.chips,
        "deals_won": entrant.deals_won,
        "points_lost": entrant.points_lost,
        "status": SHOWN_STATUS.get(Entrant.Status(entrant.status), "out"),
        "prize": entrant.prize,
        "refilled": entrant.refilled,
    }


def _in_order(tournament: Tournament) -> QuerySet[Entrant]:
    if tournament.status == Status.RUNNING:
        return standing(tournament)
    if tournament.status == Status.OVER:
        return standing(tournament).order_by(F("place").asc(nulls_last=True), *standing(tournament).query.order_by)
    return Entrant.objects.filter(tournament=tournament, status__in=COUNTED).order_by("id")


def _places(tournament: Tournament, shown: Sequence[Entrant], first: int) -> list[int | None]:
    """Return the place of each entrant of the page that begins with number `first`, from 0; equals share one.

    None before the start, and in an arena for who has not finished enough deals.
    """
    if tournament.status != Status.RUNNING:
        return [entrant.place if tournament.status == Status.OVER else None for entrant in shown]
    places, place = list[int | None](), first + 1
    last: dict[str, int] | None = None
    for number, entrant in enumerate(shown, start=first + 1):
        merit = {column: getattr(entrant, column) for column in ("reached", "chips", "deals_won", "points_lost")}
        if last is None and first:
            place = number - standing(tournament).filter(**merit, id__lt=entrant.pk).count()
        elif merit != last:
            place = number
        last = merit
        places.append(None if tournament.kind == TournamentKind.ARENA and not merit["reached"] else place)
    return places


def own_way(entrant: Entrant) -> list[dict[str, Any]]:
    """Return the entrant's deals from the first on: round, table, deal, outcome, points and chips."""
    deals = DealSeat.objects.filter(~Q(outcome=""), seating__entrant_id=entrant.pk)
    rows = deals.select_related("deal__match__table").order_by("id")
    return [
        {
            "round": row.deal.match.table.round,
            "table": row.deal.match.table_id,
            "deal": row.deal_id,
            "outcome": row.outcome,
            "points": row.points,
            "amount": row.amount,
        }
        for row in rows
    ]


def first_places(tournament: Tournament, entrant: Entrant | None) -> list[PlaceAnswer]:
    """Return the first few places, and the entrant's own line below if they are not among them."""
    rows = places_page(tournament, 0, FIRST_PLACES).rows
    if entrant is not None and all(row["id"] != entrant.pk for row in rows):
        rows.append(_line(entrant, _own_place(tournament, entrant)))
    return rows


def running_tables(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the first few tables where the tournament is played now: who sits there, whether it may be watched."""
    tables = Table.objects.filter(tournament_id=tournament.pk, status=Table.Status.OPEN).order_by("id")
    seatings = Seating.objects.filter(left_at=None).order_by("seat")
    sitting = Prefetch("seatings", queryset=seatings, to_attr="sitting")
    return [
        {
            "id": table.pk,
            "names": ", ".join(translated_name(each.name) for each in table.sitting),
            "is_watched": round_is_watched(tournament, table.round),
        }
        for table in tables.only("pk", "round").prefetch_related(sitting)[:MOST_TABLES]
    ]


def is_entered(tournaments: Iterable[Tournament], user: Any) -> set[int]:
    """Return which of these tournaments the user is in."""
    if not user.is_authenticated:
        return set()
    entrants = Entrant.objects.filter(user=user, status=Entrant.Status.IN, tournament__in=list(tournaments))
    return set(entrants.values_list("tournament_id", flat=True))


def takes_part(user: Any) -> bool:
    """Return whether the user is in a tournament that is open for entry or runs."""
    under_way = (Status.OPEN, Status.RUNNING)
    return Entrant.objects.filter(user=user, status=Entrant.Status.IN, tournament__status__in=under_way).exists()
