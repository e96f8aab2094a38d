"""The admin pages of the lobby, imported here for Django; each is defined in its room."""

from django.contrib import admin
from rest_framework.authtoken.models import TokenProxy

from lobby.backoffice.player_admin import (
    PlayerAdmin as PlayerAdmin,
    RoleAdmin as RoleAdmin,
    SupportRecoveryAdmin as SupportRecoveryAdmin,
)
from lobby.backoffice.stake_admin import StakeAdmin as StakeAdmin
from lobby.backoffice.tournament_admin import (
    EntrantAdmin as EntrantAdmin,
    TemplateAdmin as TemplateAdmin,
    TournamentAdmin as TournamentAdmin,
)
from lobby.collusion.admin import CaseAdmin as CaseAdmin
from lobby.reports.admin import ReportAdmin as ReportAdmin

# A token is all that a program needs to play, so no page shows it.
admin.site.unregister(TokenProxy)
