"""The player's page about his money."""

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from wallet import selectors
from wallet.money import CURRENCIES
from wallet.queries import Pages, StatementQuery


@login_required
def statement(request: HttpRequest) -> HttpResponse:
    """Balances, and the entries asked for with their running balance; where asked wrongly, all, and what was wrong."""
    assert isinstance(request.user, AbstractBaseUser)
    query = StatementQuery(data={name: text for name, text in request.GET.items() if text})
    asked = query.validated_data if query.is_valid() else {"currency": "FUN"}
    pages = Pages()
    try:
        entries = pages.paginate_queryset(selectors.statement(request.user, **asked), Request(request))
    except NotFound as error:
        raise Http404 from error
    context = {
        "balances": selectors.balances(request.user),
        "currencies": CURRENCIES.values(),
        "currency": CURRENCIES[asked["currency"]],
        "query": query,
        "filtered": any(request.GET.get(name) for name in ("from", "to")),
        "entries": entries,
        "newer": pages.get_previous_link(),
        "older": pages.get_next_link(),
    }
    return render(request, "wallet/statement.html", context)
