"""The player's page for staff: the account, what happened, what staff may do to it, and recoveries of it."""

from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import ModelForm
from django.http import HttpRequest
from django.shortcuts import redirect
from django.urls import path

from lobby.accounts import hashing, services as accounts
from lobby.accounts.forms import belongs_to_another
from lobby.accounts.mail import MailRefused
from lobby.accounts.models import Player, SupportRecovery
from lobby.accounts.rights import StaffRefusal, check_plays_apart, is_below
from lobby.backoffice import player_page, recoveries, services
from lobby.backoffice.search import find_page, suggest_names
from lobby.backoffice.timeline import timeline_page
from lobby.reports.admin import ReportAdmin as ReportAdmin
from lobby.responsible_gaming import services as responsible_gaming
from lobby.two_factor import services as two_factor
from tables.history import sharing
from wallet.audit_log import services as audit_log
from wallet.backoffice.actions import AdminAction, AuditedAdmin, ReasonedForm
from wallet.backoffice.read_only import ReadOnly
from wallet.backoffice.request_admin import RequestAdmin, decisions
from wallet.base.errors import WalletError
from wallet.base.paging import LongList
from wallet.play_money import services as play_money

#: What locking an account does, in the words of the confirmation.
LOCK_EFFECT = "The player is signed out everywhere and cannot sign in. A seat is played on by the rules of absence."
EXCLUDE_EFFECT = "The player takes no seat. A running deal, match with a pot, or knock-out is played to its end."
_WHY_IT_IS_THEY = "Reason, and how you know that it is they"
#: Parts of the player's page that are left out without a right, each with that right.
_REQUIRED_PERMISSION = {
    "password": "lobby.change_player",
    "email": "lobby.recover_player",
    "recent_notes": "lobby.view_note",
    "recent_sign_ins": "lobby.view_signin",
    "recent_acts": "lobby.view_note",
    "limits": "lobby.view_note",
    "current_seats": "tables.view_table",
    "recent_deals": "tables.view_deal",
    "user_permissions": "lobby.change_player",
}


admin.site.unregister(Group)


@admin.register(Group)
class RoleAdmin(ReadOnly, LongList):
    """Roles as defined in lobby/backoffice/roles.py: read here, and given to people on the player's page."""

    fields = ("name", "permissions")


class NamedForm(forms.ModelForm):  # type: ignore[type-arg]
    """Refuses a new name that is another's or like it, as the players' own forms do."""

    def clean_username(self) -> str:
        return self._own("username")

    def clean_display_name(self) -> str:
        return self._own("display_name")

    def _own(self, field: str) -> str:
        name: str = self.cleaned_data[field]
        if name and field in self.changed_data and belongs_to_another(name, self.instance):
            raise ValidationError("This name belongs to another player.", code="taken")
        return name


class PlayerForm(NamedForm, UserChangeForm, ReasonedForm):  # type: ignore[type-arg]
    pass


class NewPlayerForm(NamedForm, AdminUserCreationForm):  # type: ignore[type-arg]
    pass


@admin.register(Player)
class PlayerAdmin(AuditedAdmin, UserAdmin):  # type: ignore[type-arg]
    """Players are locked, never deleted: their history and their ledger stay."""

    form = PlayerForm
    add_form = NewPlayerForm
    row_actions = (
        AdminAction(
            "lock",
            "Lock the account",
            LOCK_EFFECT,
            "lobby.lock_player",
            services.lock_player,
            grave=True,
            fits=lambda player: player.is_active,
        ),
        AdminAction(
            "unlock",
            "Open the account again",
            "The player can sign in and play again.",
            "lobby.lock_player",
            services.unlock_player,
            fits=lambda player: not player.is_active and player.closed_at is None,
        ),
        AdminAction(
            "links",
            "End their links to deals",
            "Whoever has one of these links finds nothing there any more. The player can make new ones.",
            "lobby.lock_player",
            services.end_shared_links,
            fits=sharing.has_shares,
        ),
        AdminAction(
            "authenticator",
            "Remove the authenticator",
            "A new one is set up at the next sign-in.",
            "two_factor.delete_authenticator",
            services.remove_authenticator,
            grave=True,
            fits=lambda player: player.is_staff and two_factor.is_enrolled(player),
        ),
        AdminAction(
            "recover",
            "Let them back in",
            "Whoever has forgotten their password sets a new one: by a link to their confirmed e-mail address, or by a"
            " code that you read out. Make sure who it is. A second person approves it for an account of the staff, and"
            f" where there is no address and the account was used in the last {recoveries.ACTIVE_DAYS} days.",
            "lobby.recover_player",
            recoveries.ask,
            asks=_WHY_IT_IS_THEY,
            grave=True,
            single=True,
            fits=lambda player: player.is_active and not player.is_guest,
        ),
        AdminAction(
            "note",
            "Write a note",
            "Staff see it on the player's page; it cannot be changed later.",
            "lobby.add_note",
            services.add_note,
            asks="Note",
        ),
        *(
            AdminAction(
                f"exclude_{period}",
                f"Exclude from play {how_long}",
                EXCLUDE_EFFECT,
                "lobby.exclude_player",
                partial(responsible_gaming.exclude_by_staff, period),
                grave=True,
            )
            for period, how_long in (("month", "for 30 days"), ("half_year", "for 6 months"), ("ever", "for good"))
        ),
        AdminAction(
            "lift_exclusion",
            "Lift an exclusion by staff",
            "It ends in 72 hours. The player's own exclusion is never shortened.",
            "lobby.exclude_player",
            responsible_gaming.lift,
            fits=player_page.is_excluded_by_staff,
        ),
    )
    refusals = (StaffRefusal, MailRefused, WalletError)
    list_display = ("username", "display_name", "is_active", "is_staff", "date_joined", "last_login")
    list_filter = ("is_active", "is_guest", "is_staff", "is_superuser", "groups")
    search_fields = ("username__istartswith", "display_name__istartswith", "pk__exact")
    search_help_text = "The beginning of a name, or the number of a player."
    ordering = ("-id",)
    filter_horizontal = ()
    own_parts = (
        "timeline",
        "balances",
        "limits",
        "current_seats",
        "recent_deals",
        "recent_notes",
        "recent_sign_ins",
        "recent_acts",
    )
    readonly_fields = ("email", "is_active", "last_login", "date_joined", "closed_at", *own_parts)
    fieldsets = (
        (None, {"fields": ("username", "display_name", "email", "password", "timeline")}),
        ("Chips", {"fields": ("balances", "current_seats")}),
        ("Playing with care", {"fields": ("limits",)}),
        ("Play", {"fields": ("recent_deals",)}),
        ("For staff", {"fields": ("recent_notes", "recent_sign_ins", "recent_acts")}),
        ("Access", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Dates", {"fields": ("last_login", "date_joined", "closed_at")}),
    )

    timeline = admin.display(description="what happened")(lambda self, player: player_page.timeline_link(player))
    balances = admin.display(description="balances")(lambda self, player: player_page.balances_table(player))
    limits = admin.display(description="limits")(lambda self, player: player_page.limits_table(player))
    current_seats = admin.display(description="at a table now")(lambda self, player: player_page.seats_table(player))
    recent_deals = admin.display(description="recent deals")(lambda self, player: player_page.deals_table(player))
    recent_notes = admin.display(description="notes")(lambda self, player: player_page.notes_table(player))
    recent_sign_ins = admin.display(description="sign-ins")(lambda self, player: player_page.sign_ins_table(player))
    recent_acts = admin.display(description="what staff did")(lambda self, player: player_page.acts_table(player))

    def get_urls(self) -> list[Any]:
        own = [
            path("find/", self.admin_site.admin_view(find_page), name="lobby_player_find"),
            path("find/names/", self.admin_site.admin_view(suggest_names), name="lobby_player_names"),
            path("<int:player_id>/timeline/", self.admin_site.admin_view(timeline_page), name="lobby_player_timeline"),
        ]
        return [*own, *super().get_urls()]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let nobody change a closed account, and only a superuser one of the staff."""
        fits = obj is None or (obj.closed_at is None and is_below(obj, request.user))
        return fits and super().has_change_permission(request, obj)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Leave out the parts that the user has no right to see, such as notes, or how the password is stored."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None:
            return fieldsets
        hidden = {name for name, right in _REQUIRED_PERMISSION.items() if not request.user.has_perm(right)}
        visible = [
            (title, {**options, "fields": tuple(name for name in options["fields"] if name not in hidden)})
            for title, options in fieldsets
        ]
        return [(title, options) for title, options in visible if options["fields"]]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Let only a superuser give rights; other staff could otherwise extend their own."""
        rights = ("is_staff", "is_superuser", "groups", "user_permissions")
        is_superuser = isinstance(request.user, Player) and request.user.is_superuser
        return self.readonly_fields if is_superuser else (*self.readonly_fields, *rights)

    def save_model(self, request: HttpRequest, obj: Player, form: ModelForm, change: bool) -> None:  # type: ignore[type-arg]
        super().save_model(request, obj, form, change)
        if not change:
            play_money.open_wallet(obj)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> Any:
        """Hash the password before Django's transaction."""
        with hashing.ahead(_new_password(request)):
            return super().add_view(request, form_url, extra_context)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:
        """End the player's sessions and tokens as well when staff set a password, unless they play with them."""
        player = self.get_object(request, id)
        try:
            if request.method == "POST" and player is not None and self.has_change_permission(request, player):
                check_plays_apart(player, audit_log.of_request(request))
        except StaffRefusal as refusal:
            messages.error(request, refusal.message)
            return redirect("admin:lobby_player_change", player.pk)
        with hashing.ahead(_new_password(request)), transaction.atomic():
            response = super().user_change_password(request, id, form_url)
            if request.method == "POST" and response.status_code == 302:
                player = self.get_object(request, id)
                if player is not None:
                    accounts.end_former_password(player)
                    if player == request.user:
                        update_session_auth_hash(request, player)
                    audit_log.record(
                        audit_log.of_request(request), "player.password", player, after={"password": "(set)"}
                    )
        return response


def _new_password(request: HttpRequest) -> str:
    """Return the new password of the form, if both fields agree; else an empty text."""
    password = request.POST.get("password1", "")
    return password if password == request.POST.get("password2") else ""


@admin.register(SupportRecovery)
class SupportRecoveryAdmin(RequestAdmin):
    """The recoveries, the latest first."""

    request_permission = "lobby.recover_player"
    row_actions = decisions(
        "lobby.decide_recovery", "Approve the recovery",
        granted="A link goes to the confirmed e-mail address, or you get a code to read out to them.",
        refused="Nothing is sent.",
        grant=recoveries.grant, refuse=recoveries.refuse,
        asks=_WHY_IT_IS_THEY, single=True,
    )  # fmt: skip
    list_display = ("id", "asked_at", "player", "status", "asked_by", "decided_by", "by_mail")
    list_filter = ("status",)
    search_fields = ("player__username__iexact",)
    list_select_related = ("player", "asked_by", "decided_by")
    fields = (
        *("player", "status", "asked_by", "asked_at", "reason"),
        *("decided_by", "decided_at", "decision_reason", "by_mail", "code_used_at", "notice_read_at"),
    )

    def facts(self, row: SupportRecovery) -> list[tuple[str, str]]:
        """Return the account, and what is told of every request."""
        email = "confirmed" if row.player.email else "none"
        return [("Account", row.player.username), ("E-mail", email), *super().facts(row)]
