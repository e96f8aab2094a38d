"""The models of the lobby, imported here for Django; each is defined in its room."""

from lobby.accounts.models import (
    MailOrder as MailOrder,
    Note as Note,
    PasswordCode as PasswordCode,
    Player as Player,
    PlayerManager as PlayerManager,
    SignIn as SignIn,
    SupportRecovery as SupportRecovery,
)
from lobby.friends.models import (
    Block as Block,
    Friendship as Friendship,
    Invitation as Invitation,
    Mute as Mute,
    Rematch as Rematch,
)
from lobby.reports.models import Report as Report
from lobby.stakes.models import HostedTable as HostedTable, Stake as Stake, book_choices as book_choices
