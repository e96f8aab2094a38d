"""What somebody may ask about everything that is theirs."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from lobby.accounts.sign_in import signed_in_player
from lobby.personal.data import data_file
from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit
from wallet.language import worded

#: Files that one player may take within an hour: each reads all that there is of them.
FILES = RateLimit("own-data", 5, 3_600)


@login_required
@require_POST
def own_data(request: HttpRequest) -> HttpResponseBase:
    """Answer the file with the player's own data; lead back where they have taken too many."""
    player = signed_in_player(request)
    if not rate_limits.count_tries([(FILES, FILES.key(player.pk))]):
        messages.error(request, worded("You have taken this file often enough for now. Please try again in an hour."))
        return redirect("lobby:account")
    return data_file(player)
