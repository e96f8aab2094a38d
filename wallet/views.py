"""A player's money: its pages, and the API; and for everybody the heads of days: a page, and a file for programs."""

from typing import Annotated, Any, TypedDict

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST, require_safe
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet import adjustments
from wallet.audit import heads
from wallet.base import report_zone
from wallet.base.api import (
    AnswersInPages,
    FileNegotiation,
    NewestFirst,
    StatementQuery,
    filled_in,
    player_of,
    responses,
    sent_query,
    serializer_of,
)
from wallet.base.errors import WalletError
from wallet.base.money import CURRENCIES
from wallet.finance.exports import file_responses
from wallet.finance.own_data import FILE_FORMATS, StatementFileQuery, file_or_page, statement_takeout
from wallet.ledger import selectors as ledger
from wallet.ledger.selectors import Balance
from wallet.ledger.statements import (
    StatementEntry,
    seat_results_of,
    statement as statement_of,
    statement_entry,
    tournament_of,
)
from wallet.models import DayHead
from wallet.play_money import refills, services as play_money
from wallet.play_money.refills import RefillOffer

#: Heads of days on a page.
DAYS_A_PAGE = 31


@login_required
@require_POST
def refill(request: HttpRequest) -> HttpResponse:
    """Refill the player's fun chips, once a day, and show how many were added."""
    try:
        messages.success(request, refills.refill_message(refills.refill(player_of(request))))
    except WalletError as refusal:
        messages.warning(request, refusal.message)
    return redirect("wallet:statement")


@login_required
@require_GET
def statement_file(request: HttpRequest) -> HttpResponseBase:
    """Return the selected entries as a file; redirect to the page where the query is invalid."""
    return file_or_page(request, StatementFileQuery, statement_takeout, "wallet:statement")


@login_required
def statement(request: HttpRequest) -> HttpResponse:
    """Show balances, and the selected entries with their running balance and where each was made.

    An invalid query selects everything; the page says what was wrong.
    """
    player = player_of(request)
    if getattr(player, "is_guest", False):
        # A guest's wallet is opened at their first look at it, so that they see the chips of a new player.
        play_money.open_wallet(player)
    query = StatementQuery(data=filled_in(request.GET), context={"zone": report_zone.zone()})
    filters = query.validated_data if query.is_valid() else {"currency": "FUN"}
    pages = NewestFirst()
    found = statement_of(player, **filters).select_related("debit", "credit")
    entries = pages.paginate_queryset(found, Request(request)) or []
    context = {
        "refill": refills.offer(player),
        "balances": ledger.balances(player),
        "currencies": list(CURRENCIES.values()),
        "currency": CURRENCIES[filters["currency"]],
        "query": query,
        "filtered": any(request.GET.get(name) for name in ("from", "to")),
        "entries": entries,
        "adjusted": adjustments.reasons([each.posting.key for each in entries]),
        "seat_results": seat_results_of(entries),
        "tournaments": {each.pk: tournament_of(each) for each in entries},
        "newer": pages.get_previous_link(),
        "older": pages.get_next_link(),
    }
    return render(request, "wallet/statement.html", context)


class WalletAnswer(TypedDict):
    balances: list[Balance]


class RefillAnswer(RefillOffer, WalletAnswer):
    given: Annotated[int, "What today's refill gave, in chips."]


class WalletView(APIView):
    @extend_schema(operation_id="wallet", responses=responses(WalletAnswer))
    def get(self, request: Request) -> Response:
        """Return one's own balances, one for each currency."""
        return Response(WalletAnswer(balances=ledger.balances(player_of(request))))


class RefillView(APIView):
    @extend_schema(operation_id="wallet_refill_offer", responses=responses(RefillOffer))
    def get(self, request: Request) -> Response:
        """Return what a refill would give now."""
        return Response(refills.offer(player_of(request)))

    @extend_schema(operation_id="wallet_refill", request=None, responses=responses(RefillAnswer, 409))
    def post(self, request: Request) -> Response:
        """Refill one's fun chips, once a day. Further calls on that day return the same answer and give nothing.

        `no_refill`.
        """
        user = player_of(request)
        given, offer = refills.refill(user), refills.offer(user)
        return Response(RefillAnswer(**offer, balances=ledger.balances(user), given=given))


@extend_schema_view(get=extend_schema(operation_id="wallet_statement", parameters=[StatementQuery]))
class StatementView(AnswersInPages):
    """Return all changes of one's own balance in one currency, newest first."""

    serializer_class = serializer_of(StatementEntry)
    answer = staticmethod(statement_entry)

    def get_queryset(self) -> Any:
        query = StatementQuery(data=self.request.query_params)
        query.is_valid(raise_exception=True)
        return statement_of(player_of(self.request), **query.validated_data).select_related("debit", "credit")


class StatementFileView(APIView):
    content_negotiation_class = FileNegotiation

    @extend_schema(
        operation_id="wallet_statement_file", parameters=[StatementFileQuery], responses=file_responses(FILE_FORMATS)
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return one's own statement of a period as a file, oldest entry first; its last line counts the entries."""
        return statement_takeout(player_of(request), **sent_query(StatementFileQuery, request))


@require_safe
def transparency(request: HttpRequest) -> HttpResponse:
    """Show the heads, the latest first, and explain what they are for."""
    pages = Paginator(DayHead.objects.order_by("-day"), DAYS_A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    context = {
        "heads": heads.published_heads(page.object_list),
        "newer": f"?page={page.previous_page_number()}" if page.has_previous() else "",
        "older": f"?page={page.next_page_number()}" if page.has_next() else "",
    }
    return render(request, "wallet/transparency.html", context)


@require_safe
def heads_file(request: HttpRequest) -> HttpResponse:
    """Return all heads, a line each, as `audit_ledger --heads` reads them."""
    return HttpResponse("".join(f"{line}\n" for line in heads.head_lines()), content_type="text/plain; charset=utf-8")
