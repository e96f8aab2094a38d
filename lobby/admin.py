"""Staff: who plays, and what is offered."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db import transaction
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from rest_framework.authtoken.models import TokenProxy

from lobby import services
from lobby.forms import SignInForm
from lobby.models import Player, Stake
from tables import broadcast
from wallet import money
from wallet import services as wallet_services

# Whoever reads a token can play with it: nobody is shown them.
admin.site.unregister(TokenProxy)
admin.site.site_header = "Thirteen · staff"
admin.site.site_title = "Thirteen"
admin.site.index_title = "What would you like to look after?"
# The admin's own form would not count failures.
admin.site.login_form = SignInForm


@admin.register(Player)
class PlayerAdmin(UserAdmin):  # type: ignore[type-arg]
    """Players are locked, never deleted: their history and their ledger stay."""

    list_display = ("username", "display_name", "is_active", "is_staff", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff", "is_superuser", "groups")
    search_fields = ("username", "display_name")
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "display_name", "password")}),
        ("Access", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Only a superuser hands out rights; everybody else could otherwise raise himself."""
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
        response = super().user_change_password(request, id, form_url)
        if request.method == "POST" and response.status_code == 302:
            player = self.get_object(request, id)
            if player is not None:
                services.sign_out_everywhere(player)
        return response


@admin.register(Stake)
class StakeAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """What the lobby offers. A change holds for tables opened from now on; running tables keep their terms."""

    list_display = ("__str__", "book", "seats", "price", "buy_in", "fee", "active", "order")
    list_editable = ("active", "order")
    list_filter = ("active", "book", "seats", "currency")
    search_fields = ("title", "book")
    readonly_fields = ("preview",)
    save_as = True
    actions = ("offer", "withdraw")
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

    @admin.action(description="Offer in the lobby", permissions=["change"])
    def offer(self, request: HttpRequest, queryset: Any) -> None:
        self._set_active(request, queryset, True)

    @admin.action(description="Withdraw from the lobby", permissions=["change"])
    def withdraw(self, request: HttpRequest, queryset: Any) -> None:
        self._set_active(request, queryset, False)

    def _set_active(self, request: HttpRequest, queryset: Any, active: bool) -> None:
        for stake in queryset:
            stake.active = active
            stake.save(update_fields=["active"])
            self.log_change(request, stake, "Offered in the lobby." if active else "Withdrawn from the lobby.")
            _announce(stake.pk)

    def save_model(self, request: HttpRequest, obj: Stake, form: ModelForm, change: bool) -> None:  # type: ignore[type-arg]
        super().save_model(request, obj, form, change)
        _announce(obj.pk)


def _announce(stake_id: int) -> None:
    """An offered stake has a table, and every open lobby shows the change."""
    services.ensure_table(stake_id)
    message = {"type": "lobby.stake", "stake_id": stake_id}
    transaction.on_commit(lambda: broadcast.send(broadcast.LOBBY_GROUP, message))


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
