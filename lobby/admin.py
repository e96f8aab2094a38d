"""Staff: who plays, and what is offered."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import Group
from django.db import models, transaction
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import path
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from rest_framework.authtoken.models import TokenProxy

from lobby import services
from lobby.backoffice import player_page
from lobby.backoffice import search as finding
from lobby.backoffice import services as staff
from lobby.forms import SignInForm
from lobby.models import Player, Stake
from lobby.reports.admin import ReportAdmin as ReportAdmin
from lobby.responsible_gaming import services as care
from lobby.two_factor import services as guard
from rules.books import BOOKS
from wallet.audit_log import services as trail
from wallet.backoffice.actions import ReasonedForm, Trailed, Verb
from wallet.base import money
from wallet.base.amounts import SmallestUnitsField
from wallet.base.errors import WalletError
from wallet.base.paging import LongList
from wallet.play_money import services as wallet_services

#: What locking an account does, in the words of the confirmation.
LOCKED = "The player is signed out everywhere and cannot sign in. A seat is played on by the rules of absence."
EXCLUDED = "The player takes no seat. A running deal, or match with a pot, is played to its end."
#: Parts of the player's page, and the right without which they are left out.
_SEEN_WITH = {
    "password": "lobby.change_player",
    "notes_shown": "lobby.view_note",
    "sign_ins_shown": "lobby.view_signin",
    "acts": "lobby.view_note",
    "care_shown": "lobby.view_note",
    "seat_now": "tables.view_table",
    "recent_deals": "tables.view_deal",
    "user_permissions": "lobby.change_player",
}

# Whoever reads a token can play with it: nobody is shown them.
admin.site.unregister(TokenProxy)
admin.site.unregister(Group)
admin.site.site_header = "Thirteen · staff"
admin.site.site_title = "Thirteen"
admin.site.index_title = "What would you like to look after?"
# The admin's own form would not count failures.
admin.site.login_form = SignInForm
_password_change = admin.site.password_change


def _own_password(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
    """The admin's own page; a password changed there is in the trail and ends every token and socket as well."""
    with transaction.atomic():
        response = _password_change(request, extra_context)
        if request.method == "POST" and response.status_code == 302:
            assert isinstance(request.user, Player)
            services.sign_out_everywhere(request.user)
            staff.note_own_password(request)
    return response


admin.site.password_change = _own_password  # type: ignore[method-assign]


@admin.register(Group)
class RoleAdmin(LongList):
    """Roles as lobby/backoffice/roles.py has them: to be read here, handed out on the player's page."""

    fields = ("name", "permissions")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class PlayerForm(UserChangeForm, ReasonedForm):  # type: ignore[type-arg]
    pass


@admin.register(Player)
class PlayerAdmin(Trailed, UserAdmin):  # type: ignore[type-arg]
    """Players are locked, never deleted: their history and their ledger stay."""

    form = PlayerForm
    verbs = (
        Verb("lock", "Lock the account", LOCKED, "lobby.lock_player", staff.lock_player, grave=True,
             fits=lambda player: player.is_active),
        Verb("unlock", "Open the account again", "The player can sign in and play again.", "lobby.lock_player",
             staff.unlock_player, fits=lambda player: not player.is_active),
        Verb("authenticator", "Remove the authenticator", "A new one is set up at the next sign-in.",
             "guard.delete_authenticator", staff.remove_authenticator, grave=True,
             fits=lambda player: player.is_staff and guard.is_enrolled(player)),
        Verb("note", "Write a note", "Staff see it on the player's page; it cannot be changed later.",
             "lobby.add_note", staff.add_note, asks="Note"),
        *(
            Verb(f"exclude_{period}", f"Exclude from play {how_long}", EXCLUDED, "lobby.exclude_player",
                 partial(care.exclude_by_staff, period), grave=True)
            for period, how_long in (("month", "for 30 days"), ("half_year", "for 6 months"), ("ever", "for good"))
        ),
        Verb("lift_exclusion", "Lift an exclusion by staff",
             "It ends in 72 hours. The player's own exclusion is never shortened.", "lobby.exclude_player",
             care.lift, fits=player_page.is_excluded_by_staff),
    )  # fmt: skip
    refusals = (staff.StaffRefusal, WalletError)
    list_display = ("username", "display_name", "is_active", "is_staff", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff", "is_superuser", "groups")
    search_fields = ("username__istartswith", "display_name__istartswith", "pk__exact")
    search_help_text = "The beginning of a name, or the number of a player."
    ordering = ("-id",)
    filter_horizontal = ()
    shown = ("money_held", "care_shown", "seat_now", "recent_deals", "notes_shown", "sign_ins_shown", "acts")
    readonly_fields = ("last_login", "date_joined", *shown)
    fieldsets = (
        (None, {"fields": ("username", "display_name", "password")}),
        ("Money", {"fields": ("money_held", "seat_now")}),
        ("Playing with care", {"fields": ("care_shown",)}),
        ("Play", {"fields": ("recent_deals",)}),
        ("For staff", {"fields": ("notes_shown", "sign_ins_shown", "acts")}),
        ("Access", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )

    money_held = admin.display(description="balances")(lambda self, player: player_page.money_held(player))
    care_shown = admin.display(description="limits")(lambda self, player: player_page.care_shown(player))
    seat_now = admin.display(description="at a table now")(lambda self, player: player_page.seat_now(player))
    recent_deals = admin.display(description="recent deals")(lambda self, player: player_page.recent_deals(player))
    notes_shown = admin.display(description="notes")(lambda self, player: player_page.notes(player))
    sign_ins_shown = admin.display(description="sign-ins")(lambda self, player: player_page.sign_ins(player))
    acts = admin.display(description="what staff did")(lambda self, player: player_page.acts(player))

    def get_urls(self) -> list[Any]:
        find = path("find/", self.admin_site.admin_view(finding.find), name="lobby_player_find")
        return [find, *super().get_urls()]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Who only looks sees no password, not even how it is stored, and who lacks the right no sign-ins or notes."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None:
            return fieldsets
        hidden = {name for name, right in _SEEN_WITH.items() if not request.user.has_perm(right)}
        kept = [
            (title, {**options, "fields": tuple(name for name in options["fields"] if name not in hidden)})
            for title, options in fieldsets
        ]
        return [(title, options) for title, options in kept if options["fields"]]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Only a superuser hands out rights; everybody else could otherwise raise themselves."""
        rights = ("is_staff", "is_superuser", "groups", "user_permissions")
        may = isinstance(request.user, Player) and request.user.is_superuser
        return self.readonly_fields if may else (*self.readonly_fields, *rights)

    def save_model(self, request: HttpRequest, obj: Player, form: ModelForm, change: bool) -> None:  # type: ignore[type-arg]
        super().save_model(request, obj, form, change)
        if change and "is_active" in form.changed_data and not obj.is_active:
            services.sign_out_everywhere(obj)
        if not change:
            wallet_services.open_wallet(obj)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:
        """A password set by staff ends the player's sessions and tokens as well."""
        with transaction.atomic():
            response = super().user_change_password(request, id, form_url)
            if request.method == "POST" and response.status_code == 302:
                player = self.get_object(request, id)
                if player is not None:
                    services.sign_out_everywhere(player)
                    trail.record(trail.of_request(request), "player.password", player, after={"password": "(set)"})
        return response


@admin.register(Stake)
class StakeAdmin(Trailed):
    """What the lobby offers. A change holds for tables opened from now on; running tables keep their terms."""

    list_display = ("__str__", "rules", "seats", "price", "buy_in", "fee", "active", "order")
    list_filter = ("active", "book", "seats", "currency")
    search_fields = ("title", "book")
    readonly_fields = ("preview",)
    formfield_overrides = {
        kind: {"form_class": SmallestUnitsField}
        for kind in (models.PositiveBigIntegerField, models.PositiveSmallIntegerField, models.SmallIntegerField)
    }
    save_as = True
    verbs = (
        Verb("offer", "Offer in the lobby", "Players can sit down at it at once.", "lobby.change_stake",
             staff.offer_stake, fits=lambda stake: not stake.active),
        Verb("withdraw", "Withdraw from the lobby", "Tables that run play on; no new one opens.", "lobby.change_stake",
             staff.withdraw_stake, fits=lambda stake: stake.active),
    )  # fmt: skip
    refusals = (staff.StaffRefusal,)
    fieldsets = (
        ("What is played", {"fields": ("book", "seats", "title")}),
        (
            "Money",
            {
                "description": "Whole numbers of the currency's smallest unit: chips, or paise. Points and blind books "
                "take a point value and a buy-in; pool and deals books take an entry.",
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

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Withdrawn, not deleted: tables and history refer to it."""
        return False

    @admin.display(description="rule book", ordering="book")
    def rules(self, stake: Stake) -> str:
        return f"{BOOKS[stake.book].title} ({stake.book})" if stake.book in BOOKS else stake.book

    @admin.display(description="price")
    def price(self, stake: Stake) -> str:
        if stake.entry:
            return f"entry {money.display(stake.entry, stake.currency)}"
        return f"{money.display(stake.point_value or 0, stake.currency)} a point"

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
        """The engine's terms, in words."""
        if stake.pk is None:
            return "Shown once the stake is saved."
        return format_html(
            "<ul>{}</ul>", format_html_join("", "<li>{}: <strong>{}</strong></li>", _terms_in_words(stake))
        )

    def save_model(self, request: HttpRequest, obj: Stake, form: ModelForm, change: bool) -> None:  # type: ignore[type-arg]
        super().save_model(request, obj, form, change)
        staff.announce(obj.pk)


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
