"""The cases for staff: pairs above the line, and the page of each with its figures, deals, notes and decision."""

from functools import partial

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lobby.collusion import explained, figures, services
from lobby.collusion.models import Case, CountedUntil
from rules.collusion.signals import LEAST_OF_PLAY
from wallet.backoffice.actions import ActionAdmin, AdminAction
from wallet.backoffice.read_only import ReadOnly, staff_link, staff_table
from wallet.base.errors import Refusal
from wallet.base.report_zone import format_moment_with_utc

_PERMISSION = "collusion.handle_case"
_DECIDED = "It is written in the trail, with your reason. Nothing happens to the players."


@admin.register(Case)
class CaseAdmin(ReadOnly, ActionAdmin):
    """The cases: open ones first, the strongest at the top."""

    row_actions = (
        AdminAction("note", "Write a note", "Staff read it on this page; it cannot be changed later.",
                    _PERMISSION, services.note_case, asks="Note"),
        AdminAction("watch", "Watch the pair", _DECIDED, _PERMISSION,
                    partial(services.decide, Case.State.WATCHING), asks="What was found",
                    fits=lambda case: case.state != Case.State.WATCHING),
        AdminAction("clear", "Clear them", f"{_DECIDED} The case stays cleared, whatever is counted later.",
                    _PERMISSION, partial(services.decide, Case.State.CLEARED), asks="What was found",
                    fits=lambda case: case.state != Case.State.CLEARED),
        AdminAction("act", "Record that something was done", f"{_DECIDED} What was done stands on their own pages.",
                    _PERMISSION, partial(services.decide, Case.State.ACTED), asks="What was found and done",
                    fits=lambda case: case.state != Case.State.ACTED),
        AdminAction("reopen", "Open it again", _DECIDED, _PERMISSION, partial(services.decide, Case.State.OPEN),
                    asks="Why", fits=lambda case: case.state != Case.State.OPEN),
    )  # fmt: skip
    refusals = (Refusal,)
    list_display = ("id", "players", "state", "evidence", "deals", "foremost", "raised_at", "counted_at")
    list_filter = ("state",)
    search_fields = ("pk__exact", "one__username__iexact", "other__username__iexact")
    search_help_text = "The number of a case, or the name of one of the two."
    ordering = ("-evidence", "id")
    list_select_related = ("one", "other")
    fieldsets = (
        (None, {"fields": ("players", "state", "evidence", "deals", "meaning")}),
        ("How they play", {"fields": ("signals_shown",)}),
        ("What they share besides", {"fields": ("circumstances_shown",)}),
        ("Deals with most to be seen", {"fields": ("deals_shown",)}),
        ("For staff", {"fields": ("notes", "raised_at", "counted_at", "handled_by", "handled_at")}),
    )

    @admin.display(description="players")
    def players(self, case: Case) -> SafeString:
        pair = (staff_link("lobby_player_change", player.pk, player) for player in (case.one, case.other))
        return format_html("{} and {}", *pair)

    @admin.display(description="foremost")
    def foremost(self, case: Case) -> str:
        lines = explained.signal_lines(case.signals[:1], _names(case), {})
        return lines[0].text if lines else "—"

    @admin.display(description="what that means")
    def meaning(self, case: Case) -> str:
        return (
            "The evidence is how many zeros stand before the chance of all signals together. One in a thousand"
            f" simulated honest pairs reaches {figures.line():.1f}: from there on a pair becomes a case. A good"
            " reason may still be behind it: look at the deals. Circumstances add one at most, and nothing where"
            f" play alone is below {LEAST_OF_PLAY:.0f}."
        )

    @admin.display(description="signals")
    def signals_shown(self, case: Case) -> SafeString:
        done = CountedUntil.objects.first()
        rows = [
            (each.text, each.counted, each.expected, each.chance, each.simulated, each.here)
            for each in explained.signal_lines(case.signals, _names(case), done.figures if done is not None else {})
        ]
        heads = ("What", "Counted", "Expected", "By chance", "Simulated honest pairs", "Pairs here")
        return staff_table(heads, rows)

    @admin.display(description="circumstances")
    def circumstances_shown(self, case: Case) -> SafeString:
        rows = [(each["text"], "adds to the evidence" if each["counts"] else "") for each in case.circumstances]
        return staff_table(("What", ""), rows)

    @admin.display(description="deals")
    def deals_shown(self, case: Case) -> SafeString:
        rows = [
            (staff_link("tables_deal_replay", deal, f"deal {deal}"), weight) for weight, deal in case.deals_that_tell
        ]
        return staff_table(("Deal, with all hands", "How much is to be seen"), rows)

    @admin.display(description="notes and decisions")
    def notes(self, case: Case) -> SafeString:
        acts = services.acts_on_case(case)[:50]
        rows = [
            (
                format_moment_with_utc(act.at),
                act.actor_name,
                act.action,
                act.reason or (act.after or {}).get("note", ""),
            )
            for act in acts
        ]
        return staff_table(("When", "By", "What", "Why"), rows)


def _names(case: Case) -> tuple[str, str]:
    return str(case.one), str(case.other)
