"""The page of a stake for staff."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.db import models
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from lobby.accounts.rights import StaffRefusal
from lobby.backoffice import services
from lobby.reports.admin import ReportAdmin as ReportAdmin
from lobby.stakes.models import UNHURRIED_RESULT_SECONDS, Stake
from lobby.stakes.presenters import price_in_words
from lobby.stakes.services import announce
from rules.books import BOOKS
from wallet.backoffice.actions import AdminAction, AuditedAdmin
from wallet.base import money
from wallet.base.amounts import SmallestUnitsField
from wallet.base.texts import VisibleText


@admin.register(Stake)
class StakeAdmin(AuditedAdmin):
    """The stakes of the lobby. A change holds for tables opened from now on; running tables keep their terms."""

    list_display = ("__str__", "rules", "seats", "price", "buy_in", "fee", "active", "order")
    list_filter = ("active", "book", "seats", "currency")
    search_fields = ("title", "book")
    readonly_fields = ("preview",)
    formfield_overrides = {
        models.CharField: {"form_class": VisibleText},
        **{
            field: {"form_class": SmallestUnitsField}
            for field in (models.PositiveBigIntegerField, models.PositiveSmallIntegerField, models.SmallIntegerField)
        },
    }
    save_as = True
    row_actions = (
        AdminAction(
            "offer",
            "Offer in the lobby",
            "Players can sit down at it at once.",
            "lobby.change_stake",
            partial(services.set_offered, True),
            fits=lambda stake: not stake.active,
        ),
        AdminAction(
            "withdraw",
            "Withdraw from the lobby",
            "Tables that run play on; no new one opens.",
            "lobby.change_stake",
            partial(services.set_offered, False),
            fits=lambda stake: stake.active,
        ),
    )
    refusals = (StaffRefusal,)
    fieldsets = (
        ("What is played", {"fields": ("book", "seats", "title")}),
        (
            "Chips",
            {
                "description": "Whole numbers of the currency's smallest unit. Points and blind books take a point "
                "value and a buy-in; pool and deals books take an entry.",
                "fields": ("currency", "point_value", "minimum", "maximum", "entry", "fee_percent"),
            },
        ),
        (
            "Clocks, in seconds",
            {
                "classes": ("collapse",),
                "fields": (
                    ("start_seconds", "full_seconds"),
                    ("turn_seconds", "extra_seconds"),
                    ("meld_seconds", "result_seconds", "prompt_seconds"),
                ),
            },
        ),
        ("In the lobby", {"fields": ("active", "order", "preview")}),
    )

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Begin a new stake with a result that can be read: staff shorten it where they want speed."""
        return {"result_seconds": UNHURRIED_RESULT_SECONDS, **super().get_changeform_initial_data(request)}

    @admin.display(description="rule book", ordering="book")
    def rules(self, stake: Stake) -> str:
        return f"{BOOKS[stake.book].title} ({stake.book})" if stake.book in BOOKS else stake.book

    @admin.display(description="price")
    def price(self, stake: Stake) -> str:
        return price_in_words(stake)

    @admin.display(description="buy-in")
    def buy_in(self, stake: Stake) -> str:
        if stake.entry:
            return "the entry"
        most = f" to {money.display(stake.maximum, stake.currency)}" if stake.maximum else " or more"
        return money.display(stake.least, stake.currency) + most

    @admin.display(description="fee", ordering="fee_percent")
    def fee(self, stake: Stake) -> str:
        return f"{stake.fee_percent}%"

    @admin.display(description="terms as the table will have them")
    def preview(self, stake: Stake) -> SafeString | str:
        """Show the engine's terms, in words."""
        if stake.pk is None:
            return "Shown once the stake is saved."
        return format_html(
            "<ul>{}</ul>", format_html_join("", "<li>{}: <strong>{}</strong></li>", _terms_in_words(stake))
        )

    def save_model(self, request: HttpRequest, obj: Stake, form: ModelForm, change: bool) -> None:  # type: ignore[type-arg]
        super().save_model(request, obj, form, change)
        announce(obj.pk)


def _terms_in_words(stake: Stake) -> list[tuple[str, str]]:
    terms = stake.terms()
    clocks = terms.clocks
    start = clocks.start_two if terms.seats == 2 else clocks.start_more
    amounts = [("Entry", terms.entry), ("Point value", terms.point_value), ("Least buy-in", terms.minimum)]
    return [
        ("Book", f"{stake.rule_book.title}, version {terms.book_version}"),
        ("Seats", str(terms.seats)),
        *((name, money.display(amount, stake.currency)) for name, amount in amounts if amount),
        (
            "Largest buy-in",
            money.display(terms.maximum, stake.currency) if terms.maximum else "no limit but the balance",
        ),
        ("Fee", f"{terms.fee_percent}% of what is won, rounded down"),
        ("Start", f"{start // 1000} s after the second player, {clocks.start_full // 1000} s at a full table"),
        ("Turn", f"{clocks.turn // 1000} s, then {clocks.extra // 1000} s extra time"),
        ("Meld, result, prompts", f"{clocks.meld // 1000} s, {clocks.result // 1000} s, {clocks.prompt // 1000} s"),
    ]
