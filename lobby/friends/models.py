"""Friendships, blocks, mutes, invitations and rematches."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Greatest, Least

from lobby.accounts.models import Player
from tables.models import Match, Table


class Friendship(models.Model):
    """A request of one player to be friends with another, and its answer. Two players have one row at most."""

    class Status(models.TextChoices):
        ASKED = "asked"
        ACCEPTED = "accepted"
        #: Stored so that the asker cannot ask again at once; to the asker it looks like `asked`.
        REFUSED = "refused"
        #: Refused, and withdrawn by the asker, who no longer sees it.
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
    """A player's block of another, whose requests and invitations they no longer see. The other is not notified."""

    player = models.ForeignKey(Player, models.CASCADE, related_name="blocks")
    blocked = models.ForeignKey(Player, models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "blocked"], name="blocked_once")]

    def __str__(self) -> str:
        return f"{self.player_id} has blocked {self.blocked_id}"


class Mute(models.Model):
    """A player's mute of another, whose emotes they do not see at any table."""

    player = models.ForeignKey(Player, models.CASCADE, related_name="mutes")
    muted = models.ForeignKey(Player, models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "muted"], name="muted_once")]

    def __str__(self) -> str:
        return f"{self.player_id} has muted {self.muted_id}"


class Invitation(models.Model):
    """An invitation to a table, by a friend or for a rematch. It is valid for a while after `sent_at`."""

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
    """The table at which a match is played again. A match has one at most."""

    match = models.OneToOneField(Match, models.CASCADE, related_name="rematch")
    table = models.OneToOneField(Table, models.CASCADE, related_name="+")
    opened_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"rematch of match {self.match_id} at table {self.table_id}"
