"""The models of the lobby, imported here for Django; each is defined in its room."""

from lobby.accounts.models import MailOrder as MailOrder
from lobby.accounts.models import Note as Note
from lobby.accounts.models import PasswordCode as PasswordCode
from lobby.accounts.models import Player as Player
from lobby.accounts.models import PlayerManager as PlayerManager
from lobby.accounts.models import SignIn as SignIn
from lobby.accounts.models import SupportRecovery as SupportRecovery
from lobby.company.models import Block as Block
from lobby.company.models import Friendship as Friendship
from lobby.company.models import Invitation as Invitation
from lobby.company.models import Mute as Mute
from lobby.company.models import Rematch as Rematch
from lobby.reports.models import Report as Report
from lobby.stakes.models import HostedTable as HostedTable
from lobby.stakes.models import Stake as Stake
from lobby.stakes.models import book_choices as book_choices
