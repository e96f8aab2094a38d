"""The forms and pages on which a player reports a deal, and anybody complains."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from lobby.accounts.mail import is_configured
from lobby.accounts.own_pages import form_page
from lobby.accounts.sign_in import player_or_visitor, signed_in_player
from lobby.reports import services
from lobby.reports.models import OF_COMPLAINTS, OF_DEALS, Report
from lobby.reports.services import link_token
from tables.errors import TableError
from tables.history import selectors as history
from wallet.audit_log.services import client_address
from wallet.base.texts import VisibleText
from wallet.language import ENGLISH, gettext as _, gettext_lazy


class ReportForm(forms.Form):
    """The form for a report: the matter, the seat it is about, and a text."""

    about = forms.ChoiceField(
        label=gettext_lazy("What is it about?"),
        choices=[("", gettext_lazy("Choose")), *((about.value, about.label) for about in OF_DEALS)],
        error_messages={"required": gettext_lazy("Please choose what it is about.")},
    )
    seat = forms.TypedChoiceField(label=gettext_lazy("Whom?"), required=False, coerce=int, empty_value=None)
    text = forms.CharField(
        label=gettext_lazy("What happened?"),
        required=False,
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=gettext_lazy("In your own words. Our staff see the whole deal, with every hand and move."),
    )

    def __init__(self, *args: Any, players: list[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["seat"].choices = [("", _("Nobody in particular")), *players]  # type: ignore[attr-defined]


class ComplaintForm(forms.Form):
    """The form for a complaint: the matter, a text, and where to write to somebody who is not signed in."""

    about = forms.ChoiceField(
        label=gettext_lazy("What is it about?"),
        choices=[("", gettext_lazy("Choose")), *((about.value, about.label) for about in OF_COMPLAINTS)],
        error_messages={"required": gettext_lazy("Please choose what it is about.")},
    )
    text = VisibleText(
        label=gettext_lazy("What happened?"),
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 7}),
        error_messages={"required": gettext_lazy("Please tell us what happened.")},
        help_text=gettext_lazy("In your own words: when, where, and what you would like us to do."),
    )
    email = forms.EmailField(
        label=gettext_lazy("E-mail address"),
        required=False,
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )

    def __init__(self, *args: Any, by_mail: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if by_mail:
            self.fields["email"].help_text = _(
                "For our answer. We delete it once the answer has gone. Without one you read the answer here."
            )
        else:
            del self.fields["email"]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, deal_id: int) -> HttpResponseBase:
    """Show the form to report one's own finished deal, and send it; afterwards show the status of the report."""
    player = signed_in_player(request)
    deal = history.deal_of(player, deal_id)
    if deal is None:
        raise Http404
    form = ReportForm(request.POST or None, players=services.others_in_deal(deal, player))
    if request.method == "POST" and form.is_valid():
        try:
            services.send_report(reporter=player, deal_id=deal_id, **form.cleaned_data)
        except TableError as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(request, _("Thank you. Our staff will look at this deal."))
            return redirect("lobby:report", deal_id)
    context = {"deal": deal, "form": form, "sent": Report.objects.filter(deal=deal, reporter=player).first()}
    return render(request, "lobby/report.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def read(request: HttpRequest, deal_id: int) -> HttpResponseBase:
    """Dismiss the answer to one's report of that deal, and show the report."""
    services.read_answer(signed_in_player(request), deal__pk=deal_id)
    return redirect("lobby:report", deal_id)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def complaints(request: HttpRequest) -> HttpResponseBase:
    """Show how to complain and to whom, with the form and one's own complaints; on POST take a complaint in."""
    player = player_or_visitor(request)

    def send(fields: dict[str, Any]) -> HttpResponseBase:
        complaint = services.send_complaint(
            reporter=player, address=client_address(request), language=get_language() or ENGLISH, **fields
        )
        messages.success(request, _("Your complaint has come in. Its number is {number}.", number=complaint.pk))
        if player is not None:
            return redirect("lobby:complaint", complaint.pk)
        return redirect("lobby:complaint_by_link", link_token(complaint))

    form = ComplaintForm(request.POST or None, by_mail=is_configured(), initial={"email": getattr(player, "email", "")})
    own = services.complaints_of(player) if player else []
    return form_page(request, "lobby/about/complaints.html", form, send, own=own)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def complaint(request: HttpRequest, report_id: int) -> HttpResponseBase:
    """Show one's own complaint, with its times and the answer; on POST put away the notice that it is answered."""
    player = signed_in_player(request)
    found = services.complaint_of(player, report_id)
    if found is None:
        raise Http404
    if request.method == "POST":
        services.read_answer(player, pk=report_id)
        return redirect("lobby:complaint", report_id)
    return render(request, "lobby/about/complaint.html", {"complaint": found})


@never_cache
@require_http_methods(["GET", "HEAD"])
def complaint_by_link(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show the complaint that the secret link opens."""
    found = services.complaint_of_token(token)
    if found is None:
        raise Http404
    return render(request, "lobby/about/complaint.html", {"complaint": found, "by_link": True})
