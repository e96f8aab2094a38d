"""Accounts, sign-ins, codes and recoveries for forgotten passwords, and the notes of staff."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Lower

from lobby.accounts import names
from lobby.accounts.avatars import AVATARS, avatar_address
from lobby.accounts.passwords import normalize
from tables.language import CLOSED_ACCOUNT, translated_name
from wallet.base.queries import PrefixIndex
from wallet.base.requests import TwoPersonRequest
from wallet.language import gettext_lazy


class PlayerManager(UserManager["Player"]):
    """The manager of players; it finds a name in any case."""

    def get_by_natural_key(self, username: str | None) -> Player:
        return self.get(username__iexact=names.tidy(username or ""))


class Player(AbstractUser):
    """A person with an account: player, staff or finance."""

    #: The columns as last read or saved.
    _read: Mapping[str, Any] = MappingProxyType({})

    username = models.CharField(
        "name",
        max_length=20,
        unique=True,
        help_text=names.USERNAME_HELP,
        validators=[names.check_username],
        error_messages={"unique": gettext_lazy("This name is taken. Please choose another.")},
    )
    display_name = models.CharField(
        max_length=20,
        blank=True,
        help_text=gettext_lazy("What others see at the table. Empty: the name you sign in with."),
        validators=[names.check_display_name, names.not_reserved],
    )
    avatar = models.CharField(
        gettext_lazy("picture"),
        max_length=20,
        blank=True,
        db_default="",
        choices=list(AVATARS.items()),
        help_text=gettext_lazy("What others see beside the name. None: its first letter."),
    )
    hides_presence = models.BooleanField(
        "hidden from friends",
        default=False,
        db_default=False,
        help_text=gettext_lazy("Friends do not see when you are online, nor where you play."),
    )
    refuses_requests = models.BooleanField(
        "asked by nobody", default=False, db_default=False, help_text=gettext_lazy("Nobody can ask you to be friends.")
    )
    forbids_watching = models.BooleanField(
        gettext_lazy("Hide my hands from watchers"),
        default=False,
        db_default=False,
        help_text=gettext_lazy(
            "Watchers see the deal before the running one with all hands. Ticked: at none of your tables but a final."
        ),
    )
    shares_deals = models.BooleanField(
        gettext_lazy("Give my finished deals to puzzles and statistics"),
        default=False,
        db_default=False,
        help_text=gettext_lazy(
            "Without names, and only where everybody in the deal has ticked this. Your decisions may become puzzles, "
            "and the cards may be downloaded by whoever checks how they fall. Nothing is taken of a deal that runs, "
            "nor anything more once you untick it; what was made before stays."
        ),
    )
    hides_rating = models.BooleanField(
        gettext_lazy("Hide my name on the boards"),
        default=False,
        db_default=False,
        help_text=gettext_lazy("Your places stay; others read no name there and find no rating of yours."),
    )
    has_profile = models.BooleanField(
        gettext_lazy("Have a profile page"),
        default=False,
        db_default=False,
        help_text=gettext_lazy("Whoever is signed in can open it: your name, and below it all that you do not hide."),
    )
    is_findable = models.BooleanField(
        gettext_lazy("Let others find me by name"),
        default=False,
        db_default=False,
        help_text=gettext_lazy("In the search among friends, by the beginning of the name that others see."),
    )
    hides_matches = models.BooleanField(
        gettext_lazy("Hide my matches and shows"),
        default=False,
        db_default=False,
        help_text=gettext_lazy("On your profile page and the boards."),
    )
    hides_places = models.BooleanField(
        gettext_lazy("Hide my places in tournaments"),
        default=False,
        db_default=False,
        help_text=gettext_lazy("On your profile page and the boards; the tournaments’ own pages keep them."),
    )
    hides_friends = models.BooleanField(
        gettext_lazy("Hide friends in common"),
        default=False,
        db_default=False,
        help_text=gettext_lazy("On your profile page; nor are you named on the pages of your friends."),
    )
    hides_deals = models.BooleanField(
        gettext_lazy("Hide the deals that I share"),
        default=False,
        db_default=False,
        help_text=gettext_lazy("On your profile page. Those shared without names are never there."),
    )

    language = models.CharField(
        max_length=8, blank=True, db_default="", help_text="What the pages speak. Empty: what the browser asks for."
    )
    is_guest = models.BooleanField(
        "guest", default=False, db_default=False, help_text="Has chosen no name and no password yet."
    )

    codes_offered_at = models.DateTimeField(
        null=True, editable=False, help_text="When they made recovery codes, or put the offer of them away."
    )
    closed_at = models.DateTimeField(
        "closed", null=True, editable=False, help_text="By the player, and for good: nothing here tells who it was."
    )

    objects: ClassVar[PlayerManager] = PlayerManager()

    class Meta:
        permissions = [
            ("lock_player", "Can lock and unlock an account"),
            ("exclude_player", "Can exclude a player from play, and lift what staff have set"),
        ]
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="player_name_unique_in_any_case",
                violation_error_message=gettext_lazy("This name is taken. Please choose another."),
            )
        ]
        indexes = [
            PrefixIndex(fields=["username"], name="players_by_name"),
            PrefixIndex(fields=["display_name"], name="players_by_display_name"),
            models.Index(names.Outline("username"), name="players_by_outline"),
            models.Index(names.Outline("display_name"), name="players_by_shown_outline"),
        ]

    def __str__(self) -> str:
        return self.username if self.closed_at else self.shown_name

    @property
    def shown_name(self) -> str:
        """The name that others see."""
        return translated_name(CLOSED_ACCOUNT) if self.closed_at else self.display_name or self.username

    @property
    def has_page(self) -> bool:
        """Whether others find a profile page of theirs."""
        return self.has_profile and self.is_active and not self.is_guest

    @property
    def avatar_url(self) -> str:
        """The address of the picture they have chosen; empty for none."""
        return avatar_address(self.avatar)

    @property
    def password_mark(self) -> str:
        """Text that changes with the password and does not reveal it."""
        return self.get_session_auth_hash()[:16]

    @classmethod
    def from_db(cls, *args: Any, **options: Any) -> Player:
        player = super().from_db(*args, **options)
        player._read = player._columns()
        return player

    def save(self, *args: Any, **options: Any) -> None:
        """Save the player; write only the columns that this instance has changed.

        So saving a picture undoes no lock, password or closing of the account in the meantime, and the trail does not
        record a change that was made outside the platform as the platform's own.
        """
        columns = self._columns()
        if self._read and not options.keys() & {"update_fields", "force_insert"}:
            options["update_fields"] = [name for name, value in columns.items() if self._read.get(name) != value]
        super().save(*args, **options)
        self._count_as_read(options.get("update_fields"))

    def refresh_from_db(self, using: Any = None, fields: Any = None, *args: Any, **options: Any) -> None:
        names = None if fields is None else list(fields)
        super().refresh_from_db(using, names, *args, **options)
        self._count_as_read(names)

    def _count_as_read(self, names: Collection[str] | None) -> None:
        """Remember the columns of these names as the database has them now; of all columns where none is named."""
        self._read = {**self._read, **{name: v for name, v in self._columns().items() if not names or name in names}}

    def _columns(self) -> dict[str, Any]:
        fields = (field.attname for field in self._meta.concrete_fields if not field.primary_key)
        return {name: self.__dict__[name] for name in fields if name in self.__dict__}

    def set_password(self, raw_password: str | None) -> None:
        """Set the password in composed form, so that it works however a keyboard sends its characters."""
        super().set_password(raw_password if raw_password is None else normalize(raw_password))

    def check_password(self, raw_password: str | None) -> bool:
        """Return whether this is the password. A hash that costs less or more than one made now is made anew."""
        former = self.password

        def make_anew(password: str) -> None:
            hashed = make_password(password)
            with transaction.atomic():
                # Not where another password was set meanwhile: it would become the former one again.
                if type(self).objects.select_for_update().filter(pk=self.pk, password=former).exists():
                    self.password = hashed
                    self.save(update_fields=["password"])

        return check_password(raw_password if raw_password is None else normalize(raw_password), former, make_anew)


def shown_as(lookup: str, name: str) -> Q:
    """Return the condition that others see a player by such a name: the one of the sign-in tells nobody whose it is."""
    return Q(**{f"display_name__{lookup}": name}) & ~Q(display_name="") | Q(
        **{f"username__{lookup}": name}, display_name=""
    )


class SignIn(models.Model):
    """A sign-in, or a failed try of anything that opens. Rows are never changed or deleted."""

    class How(models.TextChoices):
        SESSION = "session", "in a browser"
        TOKEN = "token", "for a token"
        CODE = "code", "with a code"
        LINK = "link", "with a link by e-mail"
        TABLE = "table", "to a private table"

    #: None for an attempt with a name that does not exist.
    player = models.ForeignKey(Player, models.PROTECT, null=True, related_name="sign_ins")
    at = models.DateTimeField(auto_now_add=True)
    how = models.CharField(max_length=7, choices=How, default=How.SESSION)
    succeeded = models.BooleanField(default=True)
    address = models.GenericIPAddressField(null=True)
    client = models.CharField(max_length=200, blank=True, help_text="What the browser or program calls itself.")

    class Meta:
        verbose_name = "sign-in"
        indexes = [models.Index(fields=["player", "-id"], name="sign_ins_of_a_player")]

    def __str__(self) -> str:
        return f"{self.player} at {self.at:%Y-%m-%d %H:%M}"


class PasswordCode(models.Model):
    """A code that sets a new password once, in place of a forgotten one."""

    player = models.ForeignKey(Player, models.PROTECT, related_name="password_codes")
    digest = models.CharField(max_length=64)
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True, help_text="Of one that support has given; else never.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "digest"], name="password_code_once")]

    def __str__(self) -> str:
        return f"password code {self.pk}"


class MailOrder(models.Model):
    """A mail to be sent by a worker, which gets the id alone; the row goes when the mail has gone."""

    player = models.ForeignKey(Player, null=True, on_delete=models.CASCADE, related_name="+")
    #: As it was typed; nobody need have it.
    address = models.EmailField(max_length=254)
    language = models.CharField(max_length=10)
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"mail {self.pk}"


class SupportRecovery(TwoPersonRequest):
    """A recovery by support of an account whose password is forgotten; of one of the staff or in use, two decide."""

    NAME, FACTS = "recovery", ("player_id",)

    player = models.ForeignKey(Player, models.PROTECT, related_name="support_recoveries")
    by_mail = models.BooleanField(default=False, help_text="Whether a link went to the confirmed e-mail address.")
    notice_read_at = models.DateTimeField(null=True, help_text="When the player read of it.")
    code_used_at = models.DateTimeField(
        null=True, help_text="Since when the password is one that its code has set, and none of the player's own."
    )

    class Meta(TwoPersonRequest.Meta):
        verbose_name_plural = "support recoveries"
        permissions = [
            ("recover_player", "Can let somebody back into an account"),
            ("decide_recovery", "Can grant or refuse it, as the second person"),
        ]
        constraints = [
            *TwoPersonRequest.Meta.constraints,
            models.CheckConstraint(condition=~Q(asked_by=F("player")), name="support_recovery_not_of_oneself"),
            models.CheckConstraint(condition=~Q(decided_by=F("player")), name="support_recovery_not_own_account"),
        ]

    def __str__(self) -> str:
        return f"recovery {self.pk} of {self.player}"

    @property
    def issued_at(self) -> datetime:
        """When the link was sent or the code shown."""
        return self.decided_at or self.asked_at


class Note(models.Model):
    """A note about a player, by staff for staff. Rows are never changed or deleted."""

    player = models.ForeignKey(Player, models.PROTECT, related_name="notes")
    author = models.ForeignKey(Player, models.PROTECT, related_name="+", null=True)
    at = models.DateTimeField(auto_now_add=True)
    text = models.CharField(max_length=500)

    class Meta:
        indexes = [models.Index(fields=["player", "-id"], name="notes_on_a_player")]

    def __str__(self) -> str:
        return f"note on {self.player}"
