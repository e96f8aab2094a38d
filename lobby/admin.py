"""What staff see of the lobby, which Django looks for here; each page is written down in its room."""

from django.contrib import admin
from rest_framework.authtoken.models import TokenProxy

from lobby.backoffice.player_admin import PlayerAdmin as PlayerAdmin
from lobby.backoffice.player_admin import RoleAdmin as RoleAdmin
from lobby.backoffice.stake_admin import StakeAdmin as StakeAdmin
from lobby.reports.admin import ReportAdmin as ReportAdmin

# Whoever reads a token can play with it: nobody is shown them.
admin.site.unregister(TokenProxy)
