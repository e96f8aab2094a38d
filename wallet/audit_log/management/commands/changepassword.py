"""Django's own command, and an entry in the trail; the password itself is nowhere in it."""

import getpass
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.management.commands import changepassword
from django.db import transaction

from wallet.audit_log.services import of_command, record


class Command(changepassword.Command):
    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> str | None:
        """Store the new password and its entry, both or neither."""
        told = super().handle(*args, **options)
        user = get_user_model()._default_manager.get_by_natural_key(options["username"] or getpass.getuser())
        record(of_command("changepassword"), "player.password", user, after={"password": "(set)"})
        return told
