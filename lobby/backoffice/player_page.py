"""The parts of the player's page for staff, each a small table."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from lobby.accounts.acts import access
from lobby.accounts.acts.rights import TOKEN_GIVEN
from lobby.accounts.models import Player
from lobby.responsible_gaming import services as responsible_gaming
from tables.models import DealSeat
from tables.play.seating import own_seatings
from wallet.audit_log.models import AuditEntry
from wallet.base import money
from wallet.base.report_zone import format_moment_with_utc, zone_name
from wallet.ledger.selectors import balances
from wallet.responsible_gaming import selectors as wallet_responsible_gaming

#: Rows of each list.
SHOWN = 12


def timeline_link(player: Player) -> SafeString | str:
    """Return the link to the player's timeline; empty for an account that does not exist yet."""
    if player.pk is None:
        return ""
    address = reverse("admin:lobby_player_timeline", args=[player.pk])
    return format_html('<a href="{}">money, seats, deals, sign-ins, limits and notes in one list</a>', address)


def money_held(player: Player) -> SafeString:
    rows = [
        (
            each["currency"],
            money.display(each["free"], each["currency"]),
            money.display(each["in_play"], each["currency"]),
        )
        for each in balances(player)
    ]
    return _table(("Currency", "Balance", "In play"), rows)


def care_shown(player: Player) -> SafeString:
    """Return the player's limits, present and pending, how much of them is used, and the exclusion; all read-only."""
    told = responsible_gaming.overview(player)
    rows = [
        (
            "Time played" if each["kind"] == "time" else f"Put into play, {each['currency']}",
            f"a {each['span']}",
            _limited(each, each["amount"]),
            _limited(each, each["used"]),
            _pending(each) if each["pending"] else "",
        )
        for each in told["limits"]
        if each["amount"] is not None or each["pending"]
    ]
    table = _table(("What", "Over", "Limit", "Used", "Pending"), rows)
    return format_html("<p>{}</p>{}", _exclusion(told["exclusion"]), table)


def is_excluded_by_staff(player: Player) -> bool:
    found = wallet_responsible_gaming.exclusion(player)
    return found is not None and found["by_staff"]


def _exclusion(found: Any) -> str:
    if found is None:
        return "Not excluded."
    who = "by staff" if found["by_staff"] else "by the player"
    until = "for good" if found["for_good"] else format_html("until {}", _moment_and_zone(found["until"]))
    return format_html("Excluded {} {}.", who, until)


def _pending(row: Any) -> SafeString:
    pending = row["pending"]
    return format_html("{} from {}", _limited(row, pending["amount"]), _moment_and_zone(pending["at"]))


def _limited(row: Any, amount: int | None) -> str:
    if amount is None:
        return "no limit"
    return f"{amount} min" if row["kind"] == "time" else money.display(amount, row["currency"])


def seat_now(player: Player) -> SafeString:
    rows = [(_link("tables_table", own.table_id, own.table), own.seat, own.taken_at) for own in own_seatings(player.pk)]
    return _table(("Table", "Seat", "Since"), rows)


def recent_deals(player: Player) -> SafeString:
    seats = (
        DealSeat.objects.filter(user=player).exclude(outcome="").select_related("deal__match__table").order_by("-id")
    )
    rows = [
        (
            format_html(
                '<a href="{}">deal {}</a>', reverse("admin:tables_deal_replay", args=[each.deal_id]), each.deal_id
            ),
            _link("tables_match", each.deal.match_id, f"match {each.deal.match_id}"),
            each.deal.match.table,
            each.outcome,
            each.points,
            money.display(each.amount, each.deal.match.table.currency),
            each.deal.ended_at,
        )
        for each in seats[:SHOWN]
    ]
    return _table(("Deal", "Match", "Table", "Outcome", "Points", "Amount", "Ended"), rows)


def notes(player: Player) -> SafeString:
    found = player.notes.select_related("author").order_by("-id")[:SHOWN]
    return _table(("When", "By", "Note"), [(each.at, each.author or "—", each.text) for each in found])


def sign_ins(player: Player) -> SafeString:
    found = player.sign_ins.order_by("-id")[:SHOWN]
    rows = [
        (each.at, each.get_how_display(), _outcome(each.succeeded), each.address or "—", each.client or "—")
        for each in found
    ]
    return _table(("When", "How", "Outcome", "From", "With"), rows)


def _outcome(succeeded: bool) -> str:
    return "signed in" if succeeded else "failed"


def acts_of_staff(player: Player) -> SafeString:
    entries = AuditEntry.objects.filter(kind="lobby.player", object_id=str(player.pk))
    found = entries.exclude(what__in=(TOKEN_GIVEN, access.CHANGED))[:SHOWN]
    return _table(("When", "By", "What", "Why"), [(each.at, each.name, each.what, each.reason) for each in found])


def _link(page: str, pk: int, text: object) -> SafeString:
    return format_html('<a href="{}">{}</a>', reverse(f"admin:{page}_change", args=[pk]), text)


def _table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> SafeString:
    body = [[_text(cell) for cell in row] for row in rows]
    if not body:
        return format_html("<p>{}</p>", "None.")
    lines = format_html_join(
        "", "<tr>{}</tr>", ((format_html_join("", "<td>{}</td>", ((c,) for c in row)),) for row in body)
    )
    head = format_html_join("", "<th>{}</th>", ((each,) for each in heads))
    table = format_html('<table class="staff-table"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>', head, lines)
    return format_html('<div class="staff-scroll" tabindex="0">{}</div>', table)


def _text(cell: Any) -> Any:
    return format_moment_with_utc(cell) if hasattr(cell, "strftime") else cell


def _moment_and_zone(moment: datetime) -> SafeString:
    """Return the moment as a sentence names it: with its zone, and UTC on hover."""
    return format_html("{} {}", format_moment_with_utc(moment), zone_name(moment))
