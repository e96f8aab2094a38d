"""Who has an account, when they signed in, and what staff noted about them."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.db.models.functions import Lower

from lobby.accounts import names
from lobby.accounts.avatars import AVATARS, avatar_address
from lobby.accounts.passwords import composed
from wallet.language import worded_later


class PlayerManager(UserManager["Player"]):
    """Find players by name, whatever the case in which it was typed."""

    def get_by_natural_key(self, username: str | None) -> Player:
        return self.get(username__iexact=username or "")


class Player(AbstractUser):
    """A person with an account: player, staff or finance."""

    username = models.CharField(
        "name",
        max_length=20,
        unique=True,
        help_text=names.USERNAME_HELP,
        validators=[names.username_characters],
        error_messages={"unique": worded_later("This name is taken. Please choose another.")},
    )
    display_name = models.CharField(
        max_length=20,
        blank=True,
        help_text=worded_later("What others see at the table. Empty: the name you sign in with."),
        validators=[names.display_name_characters, names.not_reserved],
    )
    avatar = models.CharField(
        worded_later("picture"),
        max_length=20,
        blank=True,
        db_default="",
        choices=list(AVATARS.items()),
        help_text=worded_later("What others see beside the name. None: its first letter."),
    )
    hides_presence = models.BooleanField(
        "hidden from friends",
        default=False,
        db_default=False,
        help_text=worded_later("Friends do not see when you are online, nor where you play."),
    )

    language = models.CharField(
        max_length=8,
        blank=True,
        db_default="",
        help_text="What the pages speak. Empty: what the browser asks for.",
    )
    is_guest = models.BooleanField(
        "guest",
        default=False,
        db_default=False,
        help_text="Has chosen no name and no password yet.",
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
                violation_error_message=worded_later("This name is taken. Please choose another."),
            ),
        ]

    def __str__(self) -> str:
        return self.shown_name

    @property
    def shown_name(self) -> str:
        """What others see of this player."""
        return self.display_name or self.username

    @property
    def avatar_url(self) -> str:
        """The address of the picture they have chosen; empty for none."""
        return avatar_address(self.avatar)

    def set_password(self, raw_password: str | None) -> None:
        """Set the password so that it signs in however the keyboard wrote its characters."""
        super().set_password(raw_password if raw_password is None else composed(raw_password))

    def check_password(self, raw_password: str | None) -> bool:
        return super().check_password(raw_password if raw_password is None else composed(raw_password))


class SignIn(models.Model):
    """One sign-in with a name and a password, or an attempt at it. Kept for good, changed by nobody."""

    class How(models.TextChoices):
        SESSION = "session", "in a browser"
        TOKEN = "token", "for a token"

    #: Nobody where an attempt gave a name that does not exist.
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
    """Sets a new password once, for who has forgotten theirs."""

    player = models.ForeignKey(Player, models.PROTECT, related_name="password_codes")
    digest = models.CharField(max_length=64)
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "digest"], name="password_code_once")]

    def __str__(self) -> str:
        return f"password code {self.pk}"


class Note(models.Model):
    """What staff wrote about a player, for other staff. Kept for good, changed by nobody."""

    player = models.ForeignKey(Player, models.PROTECT, related_name="notes")
    author = models.ForeignKey(Player, models.PROTECT, related_name="+", null=True)
    at = models.DateTimeField(auto_now_add=True)
    text = models.CharField(max_length=500)

    class Meta:
        indexes = [models.Index(fields=["player", "-id"], name="notes_on_a_player")]

    def __str__(self) -> str:
        return f"note on {self.player}"
