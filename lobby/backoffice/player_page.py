"""The parts of the player's page for staff, each a small table."""

from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lobby.accounts import access
from lobby.accounts.models import Player
from lobby.accounts.rights import TOKEN_ISSUED
from lobby.backoffice.services import acts_on
from lobby.responsible_gaming import services as responsible_gaming
from tables.language import outcome_name
from tables.models import DealSeat
from tables.play.seating import own_seatings
from wallet.backoffice.read_only import staff_link, staff_table
from wallet.base import money
from wallet.base.report_zone import format_moment_with_utc, zone_name
from wallet.ledger.selectors import balances
from wallet.responsible_gaming import selectors as wallet_responsible_gaming

#: Rows of each list.
MOST_ROWS = 12


def timeline_link(player: Player) -> SafeString | str:
    """Return the link to the player's timeline; empty for an account that does not exist yet."""
    if player.pk is None:
        return ""
    address = reverse("admin:lobby_player_timeline", args=[player.pk])
    return format_html('<a href="{}">chips, seats, deals, sign-ins, limits and notes in one list</a>', address)


def balances_table(player: Player) -> SafeString:
    rows = [
        (
            balance["currency"],
            money.display(balance["free"], balance["currency"]),
            money.display(balance["in_play"], balance["currency"]),
        )
        for balance in balances(player)
    ]
    return staff_table(("Currency", "Balance", "In play"), rows)


def limits_table(player: Player) -> SafeString:
    """Return the player's limits, present and pending, how much of them is used, and the exclusion; all read-only."""
    settings = responsible_gaming.overview(player)
    rows = [
        (
            "Time played" if limit["kind"] == "time" else f"Put into play, {limit['currency']}",
            f"a {limit['period']}",
            _limited(limit, limit["amount"]),
            _limited(limit, limit["used"]),
            _pending(limit) if limit["pending"] else "",
        )
        for limit in settings["limits"]
        if limit["amount"] is not None or limit["pending"]
    ]
    table = staff_table(("What", "Over", "Limit", "Used", "Pending"), rows)
    return format_html("<p>{}</p>{}", _exclusion(settings["exclusion"]), table)


def is_excluded_by_staff(player: Player) -> bool:
    exclusion = wallet_responsible_gaming.exclusion(player)
    return exclusion is not None and exclusion["by_staff"]


def _exclusion(exclusion: Any) -> str:
    if exclusion is None:
        return "Not excluded."
    author = "by staff" if exclusion["by_staff"] else "by the player"
    end = "for good" if exclusion["for_good"] else format_html("until {}", _moment_and_zone(exclusion["until"]))
    return format_html("Excluded {} {}.", author, end)


def _pending(row: Any) -> SafeString:
    pending = row["pending"]
    return format_html("{} from {}", _limited(row, pending["amount"]), _moment_and_zone(pending["at"]))


def _limited(row: Any, amount: int | None) -> str:
    if amount is None:
        return "no limit"
    return f"{amount} min" if row["kind"] == "time" else money.display(amount, row["currency"])


def seats_table(player: Player) -> SafeString:
    rows = [
        (staff_link("tables_table_change", seating.table_id, seating.table), seating.seat + 1, seating.taken_at)
        for seating in own_seatings(player.pk)
    ]
    return staff_table(("Table", "Seat", "Since"), rows)


def deals_table(player: Player) -> SafeString:
    seats = (
        DealSeat.objects.filter(user=player).exclude(outcome="").select_related("deal__match__table").order_by("-id")
    )
    rows = [
        (
            staff_link("tables_deal_replay", row.deal_id, f"deal {row.deal_id}"),
            staff_link("tables_match_change", row.deal.match_id, f"match {row.deal.match_id}"),
            row.deal.match.table,
            outcome_name(row.outcome),
            row.points,
            money.display(row.amount, row.deal.match.table.currency),
            row.deal.ended_at,
        )
        for row in seats[:MOST_ROWS]
    ]
    return staff_table(("Deal", "Match", "Table", "Outcome", "Points", "Amount", "Ended"), rows)


def notes_table(player: Player) -> SafeString:
    notes = player.notes.select_related("author").order_by("-id")[:MOST_ROWS]
    return staff_table(("When", "By", "Note"), [(note.at, note.author or "—", note.text) for note in notes])


def sign_ins_table(player: Player) -> SafeString:
    attempts = player.sign_ins.order_by("-id")[:MOST_ROWS]
    rows = [
        (row.at, row.get_how_display(), _outcome(row.succeeded), row.address or "—", row.client or "—")
        for row in attempts
    ]
    return staff_table(("When", "How", "Outcome", "From", "With"), rows)


def _outcome(succeeded: bool) -> str:
    return "signed in" if succeeded else "failed"


def acts_table(player: Player) -> SafeString:
    acts = acts_on(player).exclude(action__in=(TOKEN_ISSUED, access.CHANGED))[:MOST_ROWS]
    rows = [(act.at, act.actor_name, act.action, act.reason) for act in acts]
    return staff_table(("When", "By", "What", "Why"), rows)


def _moment_and_zone(moment: datetime) -> SafeString:
    """Return the moment as a sentence names it: with its zone, and UTC on hover."""
    return format_html("{} {}", format_moment_with_utc(moment), zone_name(moment))
