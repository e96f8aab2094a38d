"""Django's own command, and an entry in the trail for whoever it made."""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.management.commands import createsuperuser
from django.db import transaction

from wallet.audit_log.services import of_command, record


class Command(createsuperuser.Command):
    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Store the account and its entry, both or neither."""
        users = get_user_model()._default_manager.filter(is_superuser=True)
        before = set(users.values_list("pk", flat=True))
        super().handle(*args, **options)
        for user in users.exclude(pk__in=before):
            record(of_command("createsuperuser"), "player.superuser", user, after={"is_superuser": True})
