"""Django's own command; it also enters the trail, and the other superusers are told."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.db import transaction

from lobby.accounts.mail import deliver, deliver_here
from lobby.accounts.models import Player
from wallet.audit_log.services import of_command, record


class Command(createsuperuser.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Store the account and its entry, both or neither; then tell the superusers who have an e-mail address."""
        actor = of_command("createsuperuser")
        superusers = Player.objects.filter(is_superuser=True)
        with transaction.atomic():
            before = list(superusers)
            super().handle(*args, **options)
            created = list(superusers.exclude(pk__in=[each.pk for each in before]))
            for player in created:
                record(actor, "player.superuser", player, after={"is_superuser": True})
        advice = "If nobody of yours did that, lock the account and change the keys of the machine."
        for player in created:
            text = f"{actor.name} made the account {player.username}, which may do everything."
            for other in before:
                if other.email and other.is_active:
                    deliver_here(self, deliver, other.email, "a superuser was made", text, advice)
