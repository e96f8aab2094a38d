"""Tournaments for staff: the templates with their calendar, each tournament, what stands still, and who is in it."""

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.html import format_html
from django.utils.safestring import SafeString

from rules.books import BOOKS, with_deals
from rules.errors import RulesError
from tables.models import Entrant, PublishedRules, Table, Template, Tournament, TournamentKind
from tables.play import store
from tables.play.store import moment
from tables.staff import STUCK_AFTER_MS, UNDER_WAY, tournament_stands_still
from tables.tournaments import offers, staff
from wallet.audit_log.services import Actor
from wallet.backoffice.actions import ActionAdmin, AdminAction, AuditedAdmin, CancelForm, ReasonedForm, ReasonForm
from wallet.backoffice.read_only import ReadOnlyList, bad, good
from wallet.base import money
from wallet.base.amounts import SmallestUnitsField
from wallet.base.errors import Refusal
from wallet.base.paging import UsualFilter
from wallet.base.report_zone import format_moment_with_utc
from wallet.base.texts import VisibleText

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
REFUSALS = (Refusal, RulesError)
#: The calendar of Python ends with the year 9999, in every zone and with the minutes of an arena.
LATEST_START = datetime(3000, 1, 1, tzinfo=UTC)


class TemplateForm(ReasonedForm):
    """The form of a template; what cannot be played is said beside its field."""

    book = forms.ChoiceField(
        label="rule book", choices=lambda: [(key, f"{book.title} ({key})") for key, book in BOOKS.items()]
    )
    weekdays = forms.MultipleChoiceField(
        choices=[(str(number), name) for number, name in enumerate(DAYS)],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="For a schedule at a time on days of the week.",
    )
    prizes = forms.CharField(
        required=False, help_text="The shares in percent by place, such as 50, 30, 20: 100 in all. Empty: no prizes."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["weekdays"] = list(self.instance.weekdays)
        self.initial["prizes"] = ", ".join(map(str, self.instance.prizes))

    def clean_weekdays(self) -> str:
        return "".join(self.cleaned_data["weekdays"])

    def clean_prizes(self) -> list[int]:
        parts = [part.strip() for part in self.cleaned_data["prizes"].split(",") if part.strip()]
        if not all(part.isascii() and part.isdigit() and len(part) < 4 and int(part) for part in parts):
            raise ValidationError("Whole percents above 0 with commas between them.")
        shares = [int(part) for part in parts]
        if shares and sum(shares) != 100:
            raise ValidationError(f"These shares are {sum(shares)} percent, not 100.")
        return shares

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        arena = values.get("kind") == TournamentKind.ARENA
        published = {name: values[name] for name in ("kind", "book", "seats", "entry", "prizes") if name in values}
        for field, sentence in offers.unplayable(Template(**published)).items():
            if field in values:
                self.add_error(field, sentence)
        timed = arena and {"minutes", "least_deals"} <= values.keys()
        if timed and not 1 <= values["least_deals"] <= values["minutes"]:
            self.add_error("least_deals", "At least 1, and no more than one a minute.")
        if "most" in values and values.get("least", 0) > values["most"]:
            self.add_error("least", "The least number is above the most.")
        weekly = values.get("schedule") == Template.Schedule.WEEKLY
        if weekly and {"at", "weekdays"} <= values.keys() and not (values["at"] and values["weekdays"]):
            self.add_error("at", "A weekly schedule needs a time and at least one day.")
        if values.get("computers_after") is not None and values.get("schedule") != Template.Schedule.ALWAYS:
            self.add_error("computers_after", "Computer players come only where it starts when it is full.")
        if values.get("prizes") and values.get("entry") == 0:
            self.add_error("prizes", "Without an entry there is nothing to share.")
        pot = (values.get("entry") or 0) * (values.get("most") or 0)
        if pot > money.LARGEST_AMOUNT:
            self.add_error("entry", f"All entries come to {pot}, and the books take {money.LARGEST_AMOUNT} at most.")
        if values.get("entry") and values.get("computers_after") is not None:
            self.add_error("computers_after", "Computer players come only where it is free.")
        return values


class MakeForm(ReasonForm):
    """When the tournament begins: at a moment, or as soon as it is full."""

    starts = forms.DateTimeField(required=False, help_text="In the zone of reports. Empty: as soon as it is full.")

    def clean_starts(self) -> datetime | None:
        starts: datetime | None = self.cleaned_data["starts"]
        if starts is not None and not moment(store.now_ms()) < starts < LATEST_START:
            raise ValidationError(f"A moment to come, before the year {LATEST_START.year}.")
        return starts


class PlayedByTheBook:
    """What is played, for the admin of rules: a tournament says itself how many deals of its book it plays."""

    @admin.display(description="rule book", ordering="book")
    def rules(self, row: PublishedRules) -> str:
        return f"{with_deals(BOOKS[row.book], row.deals).title} ({row.book})" if row.book in BOOKS else row.book


def _make(template: Template, reason: str, actor: Actor, starts: datetime | None) -> None:
    starts_ms = None if starts is None else int(starts.timestamp() * 1000)
    staff.make(template=template, starts_ms=starts_ms, opens_ms=store.now_ms(), reason=reason, actor=actor)


@admin.register(Template)
class TemplateAdmin(PlayedByTheBook, AuditedAdmin):
    """What is offered again and again. A change holds for tournaments made from now on."""

    form = TemplateForm
    list_display = ("title", "kind", "rules", "when", "price", "least", "most", "active")
    list_filter = ("active", "kind", "schedule")
    search_fields = ("title",)
    formfield_overrides = {
        models.CharField: {"form_class": VisibleText},
        **{
            field: {"form_class": SmallestUnitsField}
            for field in (models.PositiveBigIntegerField, models.PositiveSmallIntegerField, models.PositiveIntegerField)
        },
    }
    save_as = True
    refusals = REFUSALS
    row_actions = (
        AdminAction(
            "make",
            "Make one now",
            "The next tournament of this template opens for entry at once.",
            "tables.run_tournament",
            _make,
            form=MakeForm,
            single=True,
        ),
    )
    fieldsets = (
        (
            "What is played",
            {"fields": ("title", "kind", "book", "seats", ("deals", "go_on"), ("minutes", "least_deals"))},
        ),
        ("Who takes part", {"fields": (("least", "most"), "computers_after")}),
        ("Fun chips", {"fields": (("entry", "fee_percent"), "prizes")}),
        ("Calendar", {"fields": ("schedule", "weekdays", "at", "active")}),
    )

    @admin.display(description="when", ordering="schedule")
    def when(self, template: Template) -> SafeString | str:
        if refused := offers.unplayable(template):
            return bad(f"not offered: {' '.join(refused.values())}")
        if template.schedule != Template.Schedule.WEEKLY:
            return template.get_schedule_display()
        days = "daily" if len(template.weekdays) == 7 else ", ".join(DAYS[int(day)][:3] for day in template.weekdays)
        return f"{days} at {template.at:%H:%M}" if template.at is not None else days

    @admin.display(description="entry", ordering="entry")
    def price(self, template: Template) -> str:
        return money.display(template.entry, "FUN") if template.entry else "free"


class StandingFilter(UsualFilter):
    """Tournaments by how they stand; by default those that are announced, open or running."""

    title = "condition"
    parameter_name = "condition"
    offered = {
        "": ("Under way", lambda rows: rows.filter(status__in=UNDER_WAY)),
        "stuck": ("Stand still", lambda rows: rows.filter(tournament_stands_still())),
        "over": ("Over or cancelled", lambda rows: rows.exclude(status__in=UNDER_WAY)),
        "all": ("All", lambda rows: rows),
    }


@admin.register(Tournament)
class TournamentAdmin(PlayedByTheBook, ActionAdmin, ReadOnlyList):
    """Each tournament, and what operations may do about it."""

    row_actions = (
        AdminAction(
            "pause",
            "Pause",
            "No round, table or deal of it begins until it is resumed; deals that run are played on. Its page says so.",
            "tables.run_tournament",
            lambda row, reason, actor: staff.pause(tournament_id=row.pk, reason=reason, actor=actor),
            grave=True,
            fits=lambda row: row.status in UNDER_WAY and row.paused_ms is None,
        ),
        AdminAction(
            "resume",
            "Resume",
            "It goes on, with all its moments put off for as long as it was paused.",
            "tables.run_tournament",
            lambda row, reason, actor: staff.resume(tournament_id=row.pk, reason=reason, actor=actor),
            fits=lambda row: row.paused_ms is not None,
        ),
        AdminAction(
            "cancel",
            "Cancel and refund",
            "Its tables are closed and every entry goes back in full, without fee. This cannot be undone.",
            "tables.run_tournament",
            lambda row, reason, actor: staff.cancel(tournament_id=row.pk, reason=reason, actor=actor),
            asks="Reason, which players read",
            form=CancelForm,
            grave=True,
            fits=lambda row: row.status in UNDER_WAY,
        ),
    )
    refusals = REFUSALS
    list_display = ("id", "title", "kind", "rules", "entered", "most", "begins", "stand", "condition")
    list_display_links = ("id", "title")
    list_filter = (StandingFilter, "kind")
    search_fields = ("pk__exact", "title__istartswith")
    search_help_text = "The number of a tournament, or the beginning of its title."
    fields = (
        *("title", "template", "kind", "rules", "stand", "condition", "begins", "ends", "entered", "least", "most"),
        *("entry", "fee_percent", "prizes", "tables_shown", "reason"),
    )

    @admin.display(description="begins", ordering="starts_ms")
    def begins(self, row: Tournament) -> SafeString | str:
        return "when full" if row.starts_ms is None else format_moment_with_utc(moment(row.starts_ms))

    @admin.display(description="ends")
    def ends(self, row: Tournament) -> SafeString | str:
        return "—" if row.ends_ms is None else format_moment_with_utc(moment(row.ends_ms))

    @admin.display(description="status", ordering="status")
    def stand(self, row: Tournament) -> str:
        if row.status == Tournament.Status.RUNNING and row.rounds:
            return f"running, round {row.round} of {row.rounds}"
        return row.status

    @admin.display(description="condition")
    def condition(self, row: Tournament) -> SafeString:
        if row.status not in UNDER_WAY:
            return format_html("{}", "—")
        if row.paused_ms is not None:
            return bad("paused")
        if row.next_ms is not None and row.next_ms < store.now_ms() - STUCK_AFTER_MS:
            return bad("overdue")
        frozen = Table.objects.filter(tournament_id=row.pk, status=Table.Status.FROZEN).count()
        if frozen:
            return bad(f"{frozen} frozen")
        return good("runs" if row.status == "running" else "waits")

    @admin.display(description="its tables")
    def tables_shown(self, row: Tournament) -> str:
        tables = Table.objects.filter(tournament_id=row.pk)
        open_now = tables.filter(status=Table.Status.OPEN).count()
        return f"{tables.count()} in all, {open_now} open"


@admin.register(Entrant)
class EntrantAdmin(ActionAdmin, ReadOnlyList):
    """Who is in a tournament."""

    row_actions = (
        AdminAction(
            "remove",
            "Remove from the tournament",
            "For cheating: their place is forfeited, those behind them move up, and their entry stays in the pot.",
            "tables.run_tournament",
            lambda row, reason, actor: staff.remove_entrant(entrant_id=row.pk, reason=reason, actor=actor),
            grave=True,
            fits=lambda row: row.status in (Entrant.Status.IN, Entrant.Status.OUT, Entrant.Status.LEFT),
        ),
    )
    refusals = REFUSALS
    list_display = ("id", "name", "tournament", "status", "round", "chips", "deals", "place", "prize")
    list_filter = ("status",)
    list_select_related = ("tournament",)
    search_fields = ("pk__exact", "tournament__pk__exact", "name__exact")
    search_help_text = "The number of an entrant or a tournament, or a player's name in full."
    fields = (
        *("tournament", "user", "name", "status", "entered_at", "table_id", "round", "chips", "deals", "deals_won"),
        *("points_lost", "automatic", "refilled", "place", "prize"),
    )
