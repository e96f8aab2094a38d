"""Tournaments arranged for pages: what begins soon, what runs, what was, and one of them."""

from collections.abc import Iterable
from typing import Any

from lobby.accounts.models import Player
from lobby.tournaments import selectors
from lobby.tournaments.rule_text import game_title, prize_rows
from tables.language import translated_title
from tables.models import Entrant, Tournament, TournamentKind
from wallet.base.clocks import moment
from wallet.base.money import display
from wallet.base.report_zone import format_moment
from wallet.language import gettext as _, gettext_lazy, translatable

Status = Tournament.Status
KINDS = {TournamentKind.KNOCKOUT: gettext_lazy("Knock-out"), TournamentKind.ARENA: gettext_lazy("Arena")}
#: Why the platform itself cancels a tournament; staff write their own reasons.
REASONS = translatable(("too few have entered", "nobody has finished enough deals"))
#: So many of each part of the list are shown.
MOST_LISTED = 20


def parts(user: Any) -> list[dict[str, Any]]:
    """Return the list in its parts: what may be entered or begins soon, what runs, what was."""
    soon = Tournament.objects.filter(status__in=(Status.ANNOUNCED, Status.OPEN)).order_by("starts_ms", "entry", "id")
    running = Tournament.objects.filter(status=Status.RUNNING).order_by("-starts_ms", "-id")
    over = Tournament.objects.filter(status__in=(Status.OVER, Status.CANCELLED)).order_by("-over_ms", "-id")
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
    entered = selectors.is_entered(found, user)
    return [{**card(tournament), "mine": tournament.pk in entered} for tournament in found]


def card(tournament: Tournament) -> dict[str, Any]:
    """Return what a line of the list and the head of its page show."""
    first = prize_rows(tournament)[:1]
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
        "first_prize": display(first[0]["chips"], "FUN") if first and first[0]["chips"] else "",
        "entered": tournament.entered,
        "most": tournament.most,
        "taken": _("{entered} of {most}", entered=tournament.entered, most=tournament.most),
        "when": when_in_words(tournament),
        "until": _until(tournament),
        "open": tournament.status == Status.OPEN or _late_entry(tournament),
        "paused": tournament.paused_ms is not None,
    }


def _late_entry(tournament: Tournament) -> bool:
    return tournament.status == Status.RUNNING and tournament.kind == TournamentKind.ARENA


def _until(tournament: Tournament) -> str:
    """Return the moment that the page counts down to, ISO 8601; empty where there is none."""
    ms = tournament.starts_ms if tournament.status in (Status.ANNOUNCED, Status.OPEN) else None
    if tournament.status == Status.RUNNING:
        ms = tournament.ends_ms
    return "" if ms is None or tournament.paused_ms is not None else moment(ms).isoformat()


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
    if tournament.starts_ms is None:
        return _("Begins as soon as {most} are in", most=tournament.most)
    return _("Begins {moment}", moment=format_moment(moment(tournament.starts_ms)))


def with_pages(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines of places, each with the name of the profile page of who is on it as `page`; empty for none."""
    entrants = Entrant.objects.filter(pk__in=[row["id"] for row in rows], user__has_profile=True)
    players = {entrant.pk: entrant.user for entrant in entrants.select_related("user")}
    pages = {key: who.shown_name for key, who in players.items() if isinstance(who, Player) and who.has_page}
    return [{**row, "page": pages.get(row["id"], "")} for row in rows]
