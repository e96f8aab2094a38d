"""Watching over HTTP: what is to be seen at a table at this moment."""

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from tables.watching.pictures import WatchFrame, picture, see
from tables.watching.scripts import script_of
from wallet.base.api import player_of, responses


class Watch(APIView):
    """A table, watched one deal behind with all hands open."""

    @extend_schema(operation_id="table_watch", responses=responses(WatchFrame, 403, 404))
    def get(self, request: Request, table_id: int) -> HttpResponse:
        """Return what is to be seen now: of the deal before the running one the steps that are due, and how the table
        stands. `watching_forbidden` at private and practice tables, and where somebody hides their hands.
        """
        found = see(table_id)
        shown, account = found.shown, player_of(request).pk
        script = None if shown is None else script_of(shown.deal_id, account=account)
        return HttpResponse(picture(found, script, found.now), content_type="application/json")
