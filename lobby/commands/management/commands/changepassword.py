"""Django's own command; it also ends what the former password let in, and enters the trail. The password does not."""

import getpass
from typing import Any

from django.contrib.auth.management.commands import changepassword
from django.db import transaction

from lobby.accounts import mail, services as accounts
from lobby.accounts.models import MailOrder, Player
from wallet.audit_log.services import of_command, record
from wallet.language import ENGLISH


class Command(changepassword.Command):
    def handle(self, *args: Any, **options: Any) -> str | None:
        """Store the new password with its entry, void every token, close every socket, and tell the player."""
        with transaction.atomic():
            answer = super().handle(*args, **options)
            player = Player.objects.get_by_natural_key(options["username"] or getpass.getuser())
            accounts.sign_out_everywhere(player)
            record(of_command("changepassword"), "player.password", player, after={"password": "(set)"})
        if player.email:
            order = MailOrder(player=player, address=player.email, language=player.language or ENGLISH)
            mail.deliver_here(self, mail.send_password_notice, order)
        return answer
