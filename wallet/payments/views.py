"""The player's pages about money: who they are, what they pay in, what they are paid out."""

import time
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from wallet.audit_log.services import of_request
from wallet.base.api import player_of
from wallet.base.errors import WalletError
from wallet.language import worded
from wallet.ledger import selectors as ledger
from wallet.payments import deposits, postings, withdrawals
from wallet.payments.forms import DeclareForm, DepositForm, WithdrawForm
from wallet.payments.identity import eligibility, verification
from wallet.payments.identity.access import money_page, pay_in_page
from wallet.payments.models import CURRENCY, Deposit, Identity, SuspenseItem, Withdrawal
from wallet.payments.providers import registry, test, webhook
from wallet.responsible_gaming import services as responsible_gaming
from wallet.responsible_gaming.errors import CareRefusal

#: Of each kind, so many requests are listed.
LISTED = 25


@require_safe
@money_page
def overview(request: HttpRequest) -> HttpResponse:
    """Show balances, the forms for those who may, and what became of earlier requests.

    Who may not play may withdraw.
    """
    return _page(request)


@require_http_methods(["GET", "HEAD", "POST"])
@pay_in_page
def deposit_ask(request: HttpRequest) -> HttpResponseBase:
    """Tell the player how to pay; or what was wrong with the form."""
    if request.method != "POST":
        return redirect("wallet:money")
    form = DepositForm(request.POST)
    if not form.is_valid():
        return _page(request, pay_in=form)
    fields = {name: form.cleaned_data[name] for name in ("amount", "gateway", "request")}
    try:
        deposit = deposits.ask(player=player_of(request), currency=CURRENCY, **fields)
    except WalletError as refusal:
        form.add_error(None, refusal.message)
        return _page(request, pay_in=form)
    return redirect(registry.gateway(deposit.gateway).instructions(deposit).page or deposit_url(deposit))


@require_http_methods(["GET", "HEAD", "POST"])
@money_page
def withdrawal_ask(request: HttpRequest) -> HttpResponseBase:
    """Put on hold what is asked for; or show what was wrong with the form."""
    if request.method != "POST":
        return redirect("wallet:money")
    form = WithdrawForm(request.POST)
    if not form.is_valid():
        return _page(request, pay_out=form)
    fields = {name: form.cleaned_data[name] for name in ("amount", "gateway", "request")}
    try:
        withdrawals.ask(player=player_of(request), currency=CURRENCY, destination=form.destination(), **fields)
    except WalletError as refusal:
        form.add_error("amount" if refusal.code == "insufficient_balance" else None, refusal.message)
        return _page(request, pay_out=form)
    messages.success(request, worded("The amount is on hold. Our staff will look at it, usually within a working day."))
    return redirect("wallet:money")


@require_safe
@money_page
def deposit(request: HttpRequest, deposit_id: int) -> HttpResponse:
    """Show how to pay, and what has become of it."""
    found = get_object_or_404(Deposit, pk=deposit_id, player_id=player_of(request).pk)
    way = _way_in(found)
    return render(request, "wallet/deposit.html", {"deposit": found, "way": way})


@require_POST
@money_page
def deposit_cancel(request: HttpRequest, deposit_id: int) -> HttpResponseBase:
    found = get_object_or_404(Deposit, pk=deposit_id, player_id=player_of(request).pk)
    return _cancelled(request, lambda: deposits.cancel(deposit=found), worded("The deposit is cancelled."))


@require_POST
@money_page
def withdrawal_cancel(request: HttpRequest, withdrawal_id: int) -> HttpResponseBase:
    found = get_object_or_404(Withdrawal, pk=withdrawal_id, player_id=player_of(request).pk)
    return _cancelled(
        request, lambda: withdrawals.cancel(withdrawal=found), worded("The amount is in your balance again.")
    )


@require_http_methods(["GET", "HEAD", "POST"])
@money_page
def details(request: HttpRequest) -> HttpResponseBase:
    """Show where the player lives and when they were born, and the terms."""
    player = player_of(request)
    declared = Identity.objects.filter(player_id=player.pk).first()
    said = {"jurisdiction": declared.jurisdiction, "birth_date": declared.birth_date} if declared else None
    form = DeclareForm(request.POST or None, initial=said)
    if request.method == "POST" and form.is_valid():
        fields = {name: form.cleaned_data[name] for name in ("jurisdiction", "birth_date")}
        try:
            verification.declare(player=player, actor=of_request(request), **fields)
        except WalletError as refusal:
            form.add_error("birth_date" if refusal.code == "bad_birth_date" else None, refusal.message)
        else:
            messages.success(request, worded("Thank you. Your details are kept."))
            return redirect("wallet:money")
    context = {"form": form, "declared": declared, "obstacle": eligibility.obstacle(player)}
    return render(request, "wallet/details.html", context, status=400 if form.errors else 200)


@require_safe
def terms(request: HttpRequest) -> HttpResponse:
    """Show the terms of play for money."""
    if not settings.REAL_MONEY:
        raise Http404
    context = {"age": settings.MONEY_MINIMUM_AGE, "version": settings.MONEY_TERMS}
    return render(request, "wallet/terms.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@money_page
def checkout(request: HttpRequest, reference: str) -> HttpResponseBase:
    """Show the test gateway's own page. What is paid here comes back as a signed message, as from any gateway."""
    found = get_object_or_404(Deposit, reference=reference, gateway="test", player_id=player_of(request).pk)
    if not any(each.name == found.gateway for each in registry.offered_gateways()):
        raise Http404
    if request.method != "POST":
        return render(request, "wallet/checkout.html", {"deposit": found})
    if request.POST.get("answer") == "pay":
        body = test.paid(found)
        event = webhook.receive(body, test.sign_webhook(body, int(time.time())))
        if webhook.where(event) == "balance":
            messages.success(request, worded("Paid. It is in your balance."))
        else:
            messages.error(request, worded("Paid, but it may not go to your balance: it goes back where it came from."))
    return redirect("wallet:money")


def deposit_url(found: Deposit) -> str:
    return reverse("wallet:deposit", args=[found.pk])


def _page(request: HttpRequest, pay_in: Form | None = None, pay_out: Form | None = None) -> HttpResponse:
    player = player_of(request)
    nothing = {"currency": CURRENCY, "free": 0, "in_play": 0}
    context = {
        "code": CURRENCY,
        "balance": next((each for each in ledger.balances(player) if each["currency"] == CURRENCY), nothing),
        "on_hold": postings.on_hold(player).get(CURRENCY, 0),
        "obstacle": eligibility.obstacle(player),
        "unproved": verification.unproved(player),
        "pause": _pause(player),
        "pay_in": pay_in or DepositForm(),
        "pay_out": pay_out or WithdrawForm(),
        "requests": _requests(player),
        "suspended": _going_back(player),
        "real_money": settings.REAL_MONEY,
    }
    return render(request, "wallet/money.html", context, status=400 if pay_in or pay_out else 200)


def _requests(player: AbstractBaseUser) -> list[Deposit | Withdrawal]:
    """Return what the player asked for last, of both kinds, newest first."""
    deposits = Deposit.objects.filter(player_id=player.pk).order_by("-id")[:LISTED]
    withdrawals = Withdrawal.objects.filter(player_id=player.pk).order_by("-id")[:LISTED]
    return sorted([*deposits, *withdrawals], key=lambda row: row.asked_at, reverse=True)


def _going_back(player: AbstractBaseUser) -> Any:
    """Return what the player paid and no balance may have, newest first."""
    found = SuspenseItem.objects.filter(player_id=player.pk, withdrawal=None)
    return found.select_related("deposit").order_by("-id")[:LISTED]


def _pause(player: AbstractBaseUser) -> str:
    """Return why a player who takes a break from play pays nothing in; empty where they take none."""
    try:
        responsible_gaming.check_play(player.pk)
    except CareRefusal as refusal:
        return refusal.message
    return ""


def _cancelled(request: HttpRequest, cancel: Any, told: str) -> HttpResponseBase:
    try:
        cancel()
        messages.success(request, told)
    except WalletError as refusal:
        messages.error(request, refusal.message)
    return redirect("wallet:money")


def _way_in(found: Deposit) -> Any:
    if found.status != Deposit.Status.ASKED:
        return None
    try:
        return registry.gateway(found.gateway).instructions(found)
    except WalletError:
        return None
