"""Who is whose friend, who wants nothing of whom, and who asks whom to a table."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Greatest, Least

from lobby.accounts.models import Player
from tables.models import Match, Table


class Friendship(models.Model):
    """One player has asked another to be friends, and may have been answered. Two players share one row at most."""

    class Status(models.TextChoices):
        ASKED = "asked"
        ACCEPTED = "accepted"
        #: Kept for a while, so that the asker does not ask again at once; they read `asked`.
        REFUSED = "refused"
        #: Refused, and taken back by the asker, who sees it no longer.
        WITHDRAWN = "withdrawn"

    asker = models.ForeignKey(Player, models.CASCADE, related_name="friendships_asked")
    asked = models.ForeignKey(Player, models.CASCADE, related_name="friendships_offered")
    status = models.CharField(max_length=9, choices=Status, default=Status.ASKED)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(Least("asker", "asked"), Greatest("asker", "asked"), name="one_friendship_a_pair"),
            models.CheckConstraint(condition=~Q(asker=F("asked")), name="nobody_is_their_own_friend"),
        ]

    def __str__(self) -> str:
        return f"{self.asker_id} and {self.asked_id}: {self.status}"


class Block(models.Model):
    """The player wants neither requests nor invitations of the other, who is not told."""

    player = models.ForeignKey(Player, models.CASCADE, related_name="blocks")
    blocked = models.ForeignKey(Player, models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "blocked"], name="blocked_once")]

    def __str__(self) -> str:
        return f"{self.player_id} has blocked {self.blocked_id}"


class Mute(models.Model):
    """The player does not see the emotes of the other, at no table, until they want to again."""

    player = models.ForeignKey(Player, models.CASCADE, related_name="mutes")
    muted = models.ForeignKey(Player, models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "muted"], name="muted_once")]

    def __str__(self) -> str:
        return f"{self.player_id} has muted {self.muted_id}"


class Invitation(models.Model):
    """A player is asked to a table, by a friend or for a rematch. Answered or out of date, it goes."""

    player = models.ForeignKey(Player, models.CASCADE, related_name="invitations")
    by = models.ForeignKey(Player, models.CASCADE, related_name="+")
    table = models.ForeignKey(Table, models.CASCADE, related_name="+")
    is_rematch = models.BooleanField(default=False)
    sent_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "table"], name="invited_once_to_a_table")]

    def __str__(self) -> str:
        return f"invitation of {self.player_id} to table {self.table_id}"


class Rematch(models.Model):
    """The table at which those who played a match play again: one, however many of them asked for it."""

    match = models.OneToOneField(Match, models.CASCADE, related_name="rematch")
    table = models.OneToOneField(Table, models.CASCADE, related_name="+")
    opened_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"rematch of match {self.match_id} at table {self.table_id}"
