"""Tournaments as pages, rendered by the server, each of which works without JavaScript, and as API."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, TypedDict

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts import guests
from lobby.accounts.models import Player
from lobby.accounts.sign_in import signed_in_player
from lobby.tournaments import selectors
from lobby.tournaments.rule_text import begins_full, game_title, prize_rows, published_rules
from lobby.tournaments.selectors import OwnPart, PlaceAnswer, RoundAnswer, TournamentAnswer, tournament_of
from rules.errors import RulesError
from tables.language import translated_title
from tables.models import Entrant, Tournament, TournamentKind
from tables.play.store import moment, now_ms
from tables.tournaments import services as tournaments
from tables.tournaments.ending import removed
from tables.tournaments.moments import filled_ms
from wallet.base.api import AnswersInPages, responses, sent_query, serializer_of
from wallet.base.errors import Refusal
from wallet.base.money import display
from wallet.base.report_zone import format_moment
from wallet.language import gettext as _, gettext_lazy, translatable

#: So many places are on a page.
SHOWN = 20


def _enter(*, tournament_id: int, user: Player) -> Entrant:
    """Enter the player, a guest with the chips that they get with their first need of any."""
    guests.ensure_wallet(user)
    return tournaments.enter(tournament_id=tournament_id, user=user)


#: What a player may do, by the name of the button: the service, and the message afterwards.
ACTS: dict[str, tuple[Callable[..., Any], str]] = {
    "enter": (_enter, translatable("You are in. You are called when it begins.")),
    "withdraw": (tournaments.withdraw_entry, translatable("You are out again, and your entry is back.")),
    "back": (tournaments.come_back, translatable("You play on.")),
    "away": (tournaments.step_away, translatable("You are not paired until you come back.")),
}
Status = Tournament.Status
KINDS = {TournamentKind.KNOCKOUT: gettext_lazy("Knock-out"), TournamentKind.ARENA: gettext_lazy("Arena")}
#: Why the platform itself cancels a tournament; staff write their own reasons.
REASONS = translatable(("too few have entered", "nobody has finished enough deals"))
#: So many of each part of the list are shown.
MOST_LISTED = 20


@require_GET
def tournament_list(request: HttpRequest) -> HttpResponse:
    """Show what begins soon, what runs and what was."""
    return render(request, "lobby/tournaments/list.html", {"parts": parts(request.user)})


@require_GET
@never_cache
def tournament_list_now(request: HttpRequest) -> HttpResponse:
    """Show the lists alone, for open pages that reload them."""
    return render(request, "lobby/tournaments/parts.html", {"parts": parts(request.user)})


@require_GET
def tournament_page(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show a tournament: its rules, its clock, its rounds, one's own way, and a page of the places."""
    tournament = tournament_of(tournament_id)
    prizes = prize_rows(tournament, removed([tournament]))
    context = {**_live(request, tournament), "rules": published_rules(tournament), "prizes": prizes}
    return render(request, "lobby/tournaments/tournament.html", context)


@require_GET
@never_cache
def tournament_now(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show the parts of the page that change, alone, for open pages that reload them."""
    return render(request, "lobby/tournaments/live.html", _live(request, tournament_of(tournament_id)))


@require_GET
@never_cache
def others(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show the first places and one's own alone, for a table between two deals."""
    tournament = tournament_of(tournament_id)
    entrant = selectors.own_entrant(tournament, request.user)
    rows = selectors.first_places(tournament, entrant)
    context = {"tournament": card(tournament), "rows": rows, "own": entrant and entrant.pk}
    return render(request, "lobby/tournaments/others.html", context)


@login_required
@require_POST
def act(request: HttpRequest, tournament_id: int) -> HttpResponseBase:
    """Enter, withdraw, come back or step away: `act` in the form."""
    if (name := request.POST.get("act", "")) in ACTS:
        service, message = ACTS[name]
        try:
            service(tournament_id=tournament_id, user=signed_in_player(request))
            messages.success(request, _(message))
        except (Refusal, RulesError) as refusal:
            if getattr(refusal, "status", 0) == 404:
                raise
            messages.error(request, getattr(refusal, "message", _("That did not work.")))
    return redirect("lobby:tournament", tournament_id)


@require_GET
def how_tournaments_work(request: HttpRequest) -> HttpResponse:
    """Explain both kinds of tournaments, how seats are drawn, and how prizes are shared."""
    return render(request, "lobby/tournaments/how_it_works.html")


def _live(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    entrant = selectors.own_entrant(tournament, request.user)
    first = request.GET.get("from", "")
    page = selectors.places_page(tournament, int(first) if first.isdecimal() and len(first) < 7 else 0, SHOWN)
    return {
        "tournament": card(tournament),
        "may_enter": tournament.entered < tournament.most and tournaments.is_open(tournament, now_ms()),
        "me": None if entrant is None else selectors.own_values(tournament, entrant),
        "taken_out": "" if entrant is not None else selectors.why_taken_out(tournament, request.user),
        "not_paired": "" if entrant is None else selectors.why_not_paired(entrant),
        "own": entrant and entrant.pk,
        "way": [] if entrant is None else _by_round(entrant),
        "rounds": selectors.shown_rounds(tournament),
        "tables": selectors.running_tables(tournament),
        "places": with_pages(page.rows),
        "has_places": tournament.status in (Tournament.Status.RUNNING, Tournament.Status.OVER),
        "before": _address(tournament, page.before),
        "after": _address(tournament, page.after),
    }


def _by_round(entrant: Entrant) -> list[dict[str, Any]]:
    """Return the entrant's deals by round, numbered in it; all deals of an arena are one group without a round."""
    rounds: dict[int | None, list[dict[str, Any]]] = {}
    for deal in selectors.own_way(entrant):
        rounds.setdefault(deal["round"], []).append(deal)
    return [{"round": number, "deals": deals} for number, deals in rounds.items()]


def _address(tournament: Tournament, first: int | None) -> str:
    if first is None:
        return ""
    address = reverse("lobby:tournament", args=[tournament.pk])
    return f"{address}?{urlencode({'from': first})}#places" if first else f"{address}#places"


def parts(user: Any) -> list[dict[str, Any]]:
    """Return the list in its parts: what may be entered or begins soon, what runs, what was."""
    soon = Tournament.objects.filter(status__in=(Status.ANNOUNCED, Status.OPEN)).order_by("starts_ms", "entry", "id")
    running = Tournament.objects.filter(status=Status.RUNNING).order_by("-starts_ms", "-id")
    ended = Tournament.objects.filter(status__in=(Status.OVER, Status.CANCELLED))
    over = ended.exclude(status=Status.CANCELLED, entered=0).order_by("-over_ms", "-id")
    titled = (
        ("soon", _("Begins soon"), _("Nothing is announced at the moment."), soon),
        ("running", _("Running now"), _("No tournament runs at the moment."), running),
        ("over", _("Over"), _("None has been played yet."), over),
    )
    return [
        {"key": key, "title": title, "none": none, "tournaments": cards(found[:MOST_LISTED], user)}
        for key, title, none, found in titled
    ]


def cards(tournaments: Iterable[Tournament], user: Any) -> list[dict[str, Any]]:
    """Return the lines of these tournaments in the list."""
    found = list(tournaments)
    entered, out = selectors.is_entered(found, user), selectors.taken_out(found, user)
    gone = removed(found)
    return [{**_card(each, gone), "mine": each.pk in entered, "taken_out": each.pk in out} for each in found]


def card(tournament: Tournament) -> dict[str, Any]:
    """Return what a line of the list and the head of its page show."""
    return _card(tournament, removed([tournament]))


def _card(tournament: Tournament, gone: Counter[tuple[int, bool]]) -> dict[str, Any]:
    first = prize_rows(tournament, gone)[:1]
    return {
        "id": tournament.pk,
        "title": translated_title(tournament.title),
        "kind": KINDS[TournamentKind(tournament.kind)],
        "arena": tournament.kind == TournamentKind.ARENA,
        "status": tournament.status,
        "book": tournament.book,
        "game": game_title(tournament),
        "entry": display(tournament.entry, "FUN") if tournament.entry else _("Free"),
        "is_free": not tournament.entry,
        "begins_full": begins_full(tournament),
        "first_prize": display(first[0]["chips"], "FUN") if first and first[0]["chips"] else "",
        "entered": tournament.entered,
        "most": tournament.most,
        "taken": _("{entered} of {most}", entered=tournament.entered, most=tournament.most),
        "when": when_in_words(tournament),
        "until": _until(tournament),
        "paused": tournament.paused_ms is not None,
    }


def _until(tournament: Tournament) -> str:
    """Return the moment that the page counts down to, ISO 8601; empty where there is none."""
    ms = tournament.ends_ms
    if tournament.status in (Status.ANNOUNCED, Status.OPEN):
        ms = tournament.starts_ms or filled_ms(tournament)
    elif tournament.status != Status.RUNNING:
        ms = None
    return "" if ms is None or tournament.paused_ms is not None else moment(ms).isoformat(timespec="milliseconds")


def when_in_words(tournament: Tournament) -> str:
    """Return when it begins, how far it is, or how it ended."""
    match tournament.status:
        case Status.CANCELLED:
            reason = _(tournament.reason) if tournament.reason in REASONS else tournament.reason
            return _("Cancelled: {reason}", reason=reason) if reason else _("Cancelled")
        case Status.OVER:
            return _("Over since {moment}", moment=format_moment(moment(tournament.over_ms or 0)))
        case Status.RUNNING if tournament.ends_ms is not None:
            return _("Ends {moment}", moment=format_moment(moment(tournament.ends_ms)))
        case Status.RUNNING:
            return _("Round {round} of {rounds}", round=tournament.round, rounds=tournament.rounds)
    if tournament.starts_ms is not None:
        return _("Begins {moment}", moment=format_moment(moment(tournament.starts_ms)))
    if filled_ms(tournament):
        return _("Computer players take the free seats")
    if tournament.computers_after is not None:
        return _(
            "Begins as soon as {most} are in; computer players take free seats {seconds} s after the first entry",
            most=tournament.most, seconds=tournament.computers_after,
        )  # fmt: skip
    return _("Begins as soon as {most} are in", most=tournament.most)


def with_pages(rows: Sequence[PlaceAnswer]) -> list[dict[str, Any]]:
    """Return the lines of places, each with the name of the profile page of who is on it as `page`; empty for none."""
    entrants = Entrant.objects.filter(pk__in=[row["id"] for row in rows], user__has_profile=True)
    players = {entrant.pk: entrant.user for entrant in entrants.select_related("user")}
    pages = {key: who.shown_name for key, who in players.items() if isinstance(who, Player) and who.has_page}
    return [{**row, "page": pages.get(row["id"], "")} for row in rows]


# --- the API ----------------------------------------------------------------------------------------------------------


class TournamentsQuery(serializers.Serializer[Any]):
    status = serializers.ChoiceField(required=False, choices=Tournament.Status.values)
    kind = serializers.ChoiceField(required=False, choices=TournamentKind.values)


class StandingsQuery(serializers.Serializer[Any]):
    cursor = serializers.IntegerField(required=False, default=0, min_value=0, max_value=1_000_000)


class TournamentDetail(TournamentAnswer):
    rounds: list[RoundAnswer]
    me: OwnPart | None
    taken_out: Annotated[str, "Why the platform took you out before it began; empty if it did not."]
    not_paired: Annotated[str, "In a running arena: which break or limit keeps you from another deal; empty if none."]


class PlacesAnswer(TypedDict):
    next: str | None
    previous: str | None
    results: list[PlaceAnswer]


@extend_schema_view(
    get=extend_schema(
        operation_id="tournaments", parameters=[TournamentsQuery], responses=responses(list[TournamentAnswer], 400)
    )
)
class Tournaments(AnswersInPages):
    """Return the tournaments of that status and kind, newest first, in pages."""

    permission_classes = [AllowAny]
    serializer_class = serializer_of(TournamentAnswer)
    answer = staticmethod(selectors.tournament_values)

    def get_queryset(self) -> Any:
        return selectors.listed(**sent_query(TournamentsQuery, self.request))


class OneTournament(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="tournament", responses=responses(TournamentDetail, 404))
    def get(self, request: Request, tournament_id: int) -> Response:
        """Return a tournament with its rounds, the draw of each with its proof, and your own part in it."""
        tournament = tournament_of(tournament_id)
        entrant = selectors.own_entrant(tournament, request.user)
        answer: TournamentDetail = {
            **selectors.tournament_values(tournament),
            "rounds": selectors.rounds_with_draws(tournament),
            "me": None if entrant is None else selectors.own_values(tournament, entrant),
            "taken_out": "" if entrant is not None else selectors.why_taken_out(tournament, request.user),
            "not_paired": "" if entrant is None else selectors.why_not_paired(entrant),
        }
        return Response(answer)


class TournamentStandings(APIView):
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="tournament_standings", parameters=[StandingsQuery], responses=responses(PlacesAnswer, 404)
    )
    def get(self, request: Request, tournament_id: int) -> Response:
        """Return the places, best first, in pages: live while it runs, final once it is over."""
        first = sent_query(StandingsQuery, request).get("cursor", 0)
        page = selectors.places_page(tournament_of(tournament_id), first)
        address = request.build_absolute_uri(request.path)
        before, after = (
            None if number is None else f"{address}?cursor={number}" for number in (page.before, page.after)
        )
        return Response(PlacesAnswer(next=after, previous=before, results=page.rows))


class EntryOfTournament(APIView):
    @extend_schema(operation_id="enter_tournament", request=None, responses=responses(OwnPart, 404, 409, 429))
    def post(self, request: Request, tournament_id: int) -> Response:
        """Enter: the entry goes from your chips into the pot. Repeating the call changes nothing."""
        return _own(_enter(tournament_id=tournament_id, user=signed_in_player(request)))

    @extend_schema(operation_id="withdraw_from_tournament", responses=responses(None, 404, 409, status=204))
    def delete(self, request: Request, tournament_id: int) -> Response:
        """Withdraw before it begins: the whole entry comes back. Repeating the call changes nothing."""
        tournaments.withdraw_entry(tournament_id=tournament_id, user=signed_in_player(request))
        return Response(status=204)


class BackToTournament(APIView):
    @extend_schema(operation_id="back_to_tournament", request=None, responses=responses(OwnPart, 404, 409))
    def post(self, request: Request, tournament_id: int) -> Response:
        """Be paired again in an arena; in a knock-out end that you are dropped at each deal."""
        return _own(tournaments.come_back(tournament_id=tournament_id, user=signed_in_player(request)))

    @extend_schema(operation_id="step_away_from_tournament", responses=responses(OwnPart, 404, 409))
    def delete(self, request: Request, tournament_id: int) -> Response:
        """Be paired no more in an arena until you come back."""
        return _own(tournaments.step_away(tournament_id=tournament_id, user=signed_in_player(request)))


def _own(entrant: Entrant) -> Response:
    return Response(selectors.own_values(tournament_of(entrant.tournament_id), entrant))
