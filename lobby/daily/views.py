"""The deal of the day, its week, and duplicate matches: pages, each of which works without JavaScript, and API."""

from datetime import date, datetime, timedelta
from typing import Any, TypedDict

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.models import Player
from lobby.accounts.sign_in import player_or_visitor, signed_in_player
from lobby.daily import match_selectors, selectors, services
from lobby.daily.match_selectors import DuplicateMatch, OneDuplicateMatch
from lobby.daily.selectors import DayAnswer
from lobby.stakes.selectors import SeatAnswer, seat_answer
from rules.books import book
from rules.errors import RulesError
from tables import daily
from tables.history.proofs import proof_of_shoe
from tables.models import Series, Shoe
from wallet.base.api import responses
from wallet.base.errors import Refusal
from wallet.base.report_zone import local_day, monday_of
from wallet.language import gettext as _, gettext_lazy

STRENGTHS = {
    "gentle": gettext_lazy("gentle"),
    "sound": gettext_lazy("sound"),
    "sharp": gettext_lazy("sharp"),
    "expert": gettext_lazy("expert"),
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def today(request: HttpRequest) -> HttpResponseBase:
    """Show the deal of today; on POST sit down at it."""
    now = timezone.now()
    shoe = services.todays_shoe(now)
    if request.method == "POST":
        return _sit_down(request, shoe, reverse("lobby:daily"))
    context = _day_context(request, shoe, now) | {
        "following": daily.following_shoe(shoe),
        "past": selectors.past_days(now),
    }
    return render(request, "lobby/daily/today.html", context)


@never_cache
@require_safe
def one_day(request: HttpRequest, day: str) -> HttpResponseBase:
    """Show a day: before it the promise, afterwards the places and the proof."""
    now = timezone.now()
    shoe = services.shoe_of_day(day, now)
    if shoe.series.day == local_day(now):
        return redirect("lobby:daily")
    return render(request, "lobby/daily/day.html", _day_context(request, shoe, now))


@never_cache
@require_safe
def week(request: HttpRequest, day: str = "") -> HttpResponse:
    """Show the places of the week in which that day is, by default of this week."""
    now, reader = timezone.now(), player_or_visitor(request)
    chosen = services.read_day(day) if day else local_day(now)
    weeks = selectors.weeks_with_days(now)
    if chosen is None or monday_of(chosen) not in weeks:
        raise Http404
    monday = monday_of(chosen)
    context = {
        "monday": monday,
        "sunday": monday + timedelta(days=6),
        "weeks": weeks,
        "lines": selectors.week_values(monday, reader, now),
        "cost": book(daily.BOOK).full_count,
    }
    return render(request, "lobby/daily/week.html", context)


def _day_context(request: HttpRequest, shoe: Shoe, now: datetime) -> dict[str, Any]:
    series, reader = shoe.series, player_or_visitor(request)
    begun = series.begins_at <= now
    own = selectors.own_game(shoe, reader) if reader is not None and begun else None
    part = None if own is None else own.part
    streak = 0 if reader is None else daily.streak(daily.days_played(reader.pk), local_day(now))
    return {
        "shoe": shoe,
        "series": series,
        "status": selectors.status(series, now),
        "book": book(series.book, series.book_version),
        "strength": STRENGTHS.get(series.strength, series.strength),
        "computers": series.seats - 1,
        "lines": selectors.place_rows(shoe, reader, now) if begun else [],
        "told": selectors.tells_results(shoe, reader, now),
        "played": daily.at_shoe(shoe).count() if begun else 0,
        "friends": _friends(shoe, reader) if part is not None else [],
        "own": own,
        "best": None if part is None else selectors.path_beside_best(shoe, part),
        "streak": streak,
        "share": _share_text(request, series, own, streak),
        "proof": proof_of_shoe(shoe, now),
        "full_count": book(series.book, series.book_version).full_count,
    }


def _friends(shoe: Shoe, reader: Player | None) -> list[selectors.RowShown]:
    if reader is None:
        return []
    lines = daily.shoe_places(shoe, among=selectors.circle(reader))
    return [selectors.row_values(line, reader) for line in lines] if len(lines) > 1 else []


def _share_text(request: HttpRequest, series: Series, own: selectors.OwnGame | None, streak: int) -> str:
    """Return a line about the player's result that tells no card; empty before there is one."""
    if own is None or own.part is None or own.place is None or series.day is None:
        return ""
    address = request.build_absolute_uri(reverse("lobby:daily_of", args=[series.day.isoformat()]))
    return _(
        "Rummy, deal of the day, {day}: {chips} chips, place {place} of {of}, days in a row: {days}. {address}",
        day=date_format(series.day, "j M Y"),
        chips=f"{own.part.amount:+d}".replace("-", "−"),
        place=own.place,
        of=own.of,
        days=streak,
        address=address,
    )


def _sit_down(request: HttpRequest, shoe: Shoe, back: str) -> HttpResponseBase:
    if not request.user.is_authenticated or request.user.is_guest:
        return redirect(f"{reverse('lobby:signup')}?{urlencode({'next': back})}")
    try:
        seating = services.sit_down(shoe=shoe, user=signed_in_player(request))
    except (Refusal, RulesError) as error:
        messages.error(request, error.message)
        return redirect(back)
    return redirect("tables:table", seating.table_id)


# --- duplicate matches ------------------------------------------------------------------------------------------------


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def matches(request: HttpRequest) -> HttpResponseBase:
    """Show the player's duplicate matches; on POST make one, and lead to its page."""
    player = signed_in_player(request)
    if request.method == "POST":
        try:
            series = services.open_match(user=player)
        except Refusal as error:
            messages.error(request, error.message)
            return redirect("lobby:duplicates")
        return redirect("lobby:duplicate", series.code)
    context = {
        "matches": match_selectors.matches_of(player),
        "now": timezone.now(),
        "shoes": daily.MATCH_SHOES,
        "days": daily.MATCH_LASTS.days,
        "most": services.MOST_PLAYERS,
        "computers": daily.SEATS - 1,
    }
    return render(request, "lobby/daily/matches.html", context)


@never_cache
@require_safe
def match(request: HttpRequest, match_code: str) -> HttpResponseBase:
    """Show a duplicate match to whoever has its link: everybody's results, side by side."""
    now, reader = timezone.now(), player_or_visitor(request)
    series = services.match_of(match_code)
    rows = match_selectors.match_rows(series, reader, now)
    context = {
        "series": series,
        "status": selectors.status(series, now),
        "rows": rows,
        "numbers": range(1, daily.MATCH_SHOES + 1),
        "shoes": daily.MATCH_SHOES,
        "next_shoe": match_selectors.next_shoe(series, reader),
        "is_stopped": match_selectors.waits_for_staff(series, reader),
        "link": request.build_absolute_uri(reverse("lobby:duplicate", args=[series.code])),
        "computers": series.seats - 1,
        "cost": book(series.book, series.book_version).full_count,
        "proofs": match_selectors.proofs_of(series, now),
    }
    page = render(request, "lobby/daily/match.html", context)
    page["X-Robots-Tag"] = "noindex"
    return page


@require_POST
def play_match(request: HttpRequest, match_code: str) -> HttpResponseBase:
    """Sit down at the player's next deal of the match."""
    series = services.match_of(match_code)
    back = reverse("lobby:duplicate", args=[series.code])
    reader = player_or_visitor(request)
    shoe = match_selectors.next_shoe(series, reader)
    if shoe is None:
        return redirect(back)
    return _sit_down(request, shoe, back)


# --- the API ----------------------------------------------------------------------------------------------------------


class NextDay(TypedDict):
    date: date
    deal_id: str
    commitment: str
    begins_at: datetime


class TodayAnswer(DayAnswer):
    next: NextDay


class DealOfToday(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @extend_schema(operation_id="daily", responses=responses(TodayAnswer))
    def get(self, request: Request) -> Response:
        """Return the deal of today, your own part in it, and the promise of tomorrow's."""
        now = timezone.now()
        shoe = services.todays_shoe(now)
        answer: TodayAnswer = {**selectors.day_values(shoe, player_or_visitor(request), now), "next": _next(shoe)}
        return Response(answer)

    @extend_schema(operation_id="play_daily", request=None, responses=responses(SeatAnswer, 403, 409))
    def post(self, request: Request) -> Response:
        """Sit down at the deal of today, alone against computer players: one try. The same call again answers the same
        seat; once the deal is over, `already_played`.
        """
        shoe = services.todays_shoe(timezone.now())
        seating = services.sit_down(shoe=shoe, user=signed_in_player(request))
        return Response(seat_answer(seating))


class DealOfDay(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @extend_schema(operation_id="daily_of", responses=responses(DayAnswer, 404))
    def get(self, request: Request, day: str) -> Response:
        """Return the deal of that day; its proof once the day is over, before it begins only the promise."""
        now = timezone.now()
        return Response(selectors.day_values(services.shoe_of_day(day, now), player_or_visitor(request), now))


class DuplicateMatches(APIView):
    @extend_schema(operation_id="duplicate_matches", responses=responses(list[DuplicateMatch]))
    def get(self, request: Request) -> Response:
        """Return the duplicate matches that you have made or played in, the newest first."""
        now = timezone.now()
        made = match_selectors.matches_of(signed_in_player(request))
        return Response([match_selectors.match_values(each, now) for each in made])

    @extend_schema(
        operation_id="make_duplicate_match",
        request=None,
        responses=responses(DuplicateMatch, 403, 409, 429, status=201),
    )
    def post(self, request: Request) -> Response:
        """Make a match of eight shoes, alike for everybody who has its code."""
        series = services.open_match(user=signed_in_player(request))
        return Response(match_selectors.match_values(series, timezone.now()), status=201)


class OneDuplicate(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @extend_schema(operation_id="duplicate_match", responses=responses(OneDuplicateMatch, 404))
    def get(self, request: Request, match_code: str) -> Response:
        """Return everybody's results side by side; of a deal that you have not played only who has."""
        match = services.match_of(match_code)
        return Response(match_selectors.one_match_values(match, player_or_visitor(request), timezone.now()))

    @extend_schema(operation_id="play_duplicate_match", request=None, responses=responses(SeatAnswer, 403, 404, 409))
    def post(self, request: Request, match_code: str) -> Response:
        """Sit down at your next deal of the match. The same call again answers the same seat until that deal is over;
        once all are, `already_played`.
        """
        seating = services.sit_down_at_next(code=match_code, user=signed_in_player(request))
        return Response(seat_answer(seating))


def _next(shoe: Shoe) -> NextDay:
    following = daily.following_shoe(shoe)
    assert following.series.day is not None
    return {
        "date": following.series.day,
        "deal_id": following.label,
        "commitment": following.commitment,
        "begins_at": following.series.begins_at,
    }
