"""The page on which a player reports a deal."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from lobby.accounts.models import Player
from lobby.reports import services
from lobby.reports.forms import ReportForm
from lobby.reports.models import Report
from tables.errors import TableError
from tables.history import selectors as history
from wallet.language import worded


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, deal_id: int) -> HttpResponseBase:
    """Show the form to report one's own finished deal, and send it; afterwards show the status of the report."""
    assert isinstance(request.user, Player)
    deal = history.deal_of(request.user, deal_id)
    if deal is None:
        raise Http404
    form = ReportForm(request.POST or None, players=services.others_in_deal(deal, request.user))
    if request.method == "POST" and form.is_valid():
        try:
            services.send_report(reporter=request.user, deal_id=deal_id, **form.cleaned_data)
        except TableError as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(request, worded("Thank you. Our staff will look at this deal."))
            return redirect("lobby:report", deal_id)
    context = {
        "deal": deal,
        "form": form,
        "sent": Report.objects.filter(deal=deal, reporter=request.user).first(),
    }
    return render(request, "lobby/report.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def read(request: HttpRequest, deal_id: int) -> HttpResponseBase:
    """Dismiss the answer to one's report of that deal, and show the report."""
    assert isinstance(request.user, Player)
    services.read_answer(request.user, deal_id)
    return redirect("lobby:report", deal_id)
