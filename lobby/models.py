"""The rows of the lobby, which Django looks for here; each is written down in its room."""

from lobby.accounts.models import Note as Note
from lobby.accounts.models import Player as Player
from lobby.accounts.models import PlayerManager as PlayerManager
from lobby.accounts.models import SignIn as SignIn
from lobby.reports.models import Report as Report
from lobby.stakes.models import Stake as Stake
from lobby.stakes.models import StakeCurrency as StakeCurrency
from lobby.stakes.models import book_choices as book_choices
