"""The Celery tasks of the lobby."""

from importlib import import_module

from celery import shared_task
from django.conf import settings

from lobby.accounts import guests
from lobby.accounts.mail import addresses
from lobby.accounts.models import Player
from lobby.accounts.recovery import by_mail
from lobby.backoffice import daily_mail
from lobby.personal import closing
from lobby.stakes import services as stakes


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def keep_tables_open() -> None:
    """Open a table of every stake on offer that has none left to join."""
    stakes.ensure_tables()


@shared_task(name="lobby.tasks.forget_guests", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_guests() -> None:
    """Lock, once a day, guests who came long ago and never finished a deal."""
    guests.forget_guests()


@shared_task(name="lobby.tasks.forget_identities", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_identities() -> None:
    """Forget, once a day, the identities of accounts that were closed long enough ago."""
    closing.forget_identities()


@shared_task(name="lobby.tasks.forget_sessions", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_sessions() -> None:
    """Delete, once a day, sessions that have ended."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()


@shared_task(name="lobby.tasks.tell_staff", ignore_result=True)  # type: ignore[untyped-decorator]
def mail_staff() -> None:
    """Send staff, once a day, a mail on what waits for them."""
    daily_mail.mail_staff()


@shared_task(name="lobby.tasks.mail_proof", ignore_result=True)  # type: ignore[untyped-decorator]
def mail_proof(player_id: int, address: str, site: str, language: str) -> None:
    """Send the mail with the link that confirms the player's address."""
    addresses.send_confirmation(Player.objects.get(pk=player_id), address, site, language)


@shared_task(name="lobby.tasks.mail_address_changed", ignore_result=True)  # type: ignore[untyped-decorator]
def mail_address_changed(address: str, name: str, language: str) -> None:
    """Send the former address a notice that the account no longer uses it."""
    addresses.send_change_notice(address, name, language)


@shared_task(name="lobby.tasks.mail_password_set", ignore_result=True)  # type: ignore[untyped-decorator]
def mail_password_set(address: str, name: str, language: str) -> None:
    """Tell the address that the account has another password."""
    addresses.send_password_notice(address, name, language)


@shared_task(name="lobby.tasks.mail_support_link", ignore_result=True)  # type: ignore[untyped-decorator]
def mail_support_link(player_id: int) -> None:
    """Send a link that sets a new password, to the player whom support lets back in."""
    by_mail.send_support_link(Player.objects.get(pk=player_id))


@shared_task(name="lobby.tasks.mail_reset", ignore_result=True)  # type: ignore[untyped-decorator]
def mail_reset(address: str, site: str, language: str) -> None:
    """Send a link that sets a new password, to each account with the address."""
    by_mail.send_reset_links(address, site, language)
