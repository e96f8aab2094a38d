"""The player's pages about real money: their declaration, deposits and withdrawals."""

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

#: How many requests of each kind are listed.
LISTED = 25


@require_safe
@money_page
def overview(request: HttpRequest) -> HttpResponse:
    """Show balances, the forms that the player may use, and the status of earlier requests.

    Players who may not play may still withdraw.
    """
    return _page(request)


@require_http_methods(["GET", "HEAD", "POST"])
@pay_in_page
def deposit_ask(request: HttpRequest) -> HttpResponseBase:
    """Open a deposit and redirect to how to pay; or show what was wrong with the form."""
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
    """Put the requested amount on hold; or show what was wrong with the form."""
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
    """Show how to pay the deposit, and its status."""
    own = get_object_or_404(Deposit, pk=deposit_id, player_id=player_of(request).pk)
    way = _way_in(own)
    return render(request, "wallet/deposit.html", {"deposit": own, "way": way})


@require_POST
@money_page
def deposit_cancel(request: HttpRequest, deposit_id: int) -> HttpResponseBase:
    own = get_object_or_404(Deposit, pk=deposit_id, player_id=player_of(request).pk)
    return _cancelled(request, lambda: deposits.cancel(deposit=own), worded("The deposit is cancelled."))


@require_POST
@money_page
def withdrawal_cancel(request: HttpRequest, withdrawal_id: int) -> HttpResponseBase:
    own = get_object_or_404(Withdrawal, pk=withdrawal_id, player_id=player_of(request).pk)
    return _cancelled(
        request, lambda: withdrawals.cancel(withdrawal=own), worded("The amount is in your balance again.")
    )


@require_http_methods(["GET", "HEAD", "POST"])
@money_page
def details(request: HttpRequest) -> HttpResponseBase:
    """Show the form for where the player lives, when they were born, and the terms; a POST declares it."""
    player = player_of(request)
    declared = Identity.objects.filter(player_id=player.pk).first()
    initial = {"jurisdiction": declared.jurisdiction, "birth_date": declared.birth_date} if declared else None
    form = DeclareForm(request.POST or None, initial=initial)
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
    """Show the test gateway's own page. A payment made here is reported by a signed message, as by any gateway."""
    own = get_object_or_404(Deposit, reference=reference, gateway="test", player_id=player_of(request).pk)
    if not any(each.name == own.gateway for each in registry.offered_gateways()):
        raise Http404
    if request.method != "POST":
        return render(request, "wallet/checkout.html", {"deposit": own})
    if request.POST.get("answer") == "pay":
        body = test.paid(own)
        event = webhook.receive(body, test.sign_webhook(body, int(time.time())))
        if webhook.where(event) == "balance":
            messages.success(request, worded("Paid. It is in your balance."))
        else:
            messages.error(request, worded("Paid, but it may not go to your balance: it goes back where it came from."))
    return redirect("wallet:money")


def deposit_url(deposit: Deposit) -> str:
    return reverse("wallet:deposit", args=[deposit.pk])


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
    """Return the player's latest deposits and withdrawals, newest first."""
    deposits = Deposit.objects.filter(player_id=player.pk).order_by("-id")[:LISTED]
    withdrawals = Withdrawal.objects.filter(player_id=player.pk).order_by("-id")[:LISTED]
    return sorted([*deposits, *withdrawals], key=lambda row: row.asked_at, reverse=True)


def _going_back(player: AbstractBaseUser) -> Any:
    """Return the player's payments in suspense, newest first, without returned withdrawals."""
    items = SuspenseItem.objects.filter(player_id=player.pk, withdrawal=None)
    return items.select_related("deposit").order_by("-id")[:LISTED]


def _pause(player: AbstractBaseUser) -> str:
    """Return why the player cannot pay in during a break from play; empty without a break."""
    try:
        responsible_gaming.check_play(player.pk)
    except CareRefusal as refusal:
        return refusal.message
    return ""


def _cancelled(request: HttpRequest, cancel: Any, message: str) -> HttpResponseBase:
    try:
        cancel()
        messages.success(request, message)
    except WalletError as refusal:
        messages.error(request, refusal.message)
    return redirect("wallet:money")


def _way_in(deposit: Deposit) -> Any:
    if deposit.status != Deposit.Status.ASKED:
        return None
    try:
        return registry.gateway(deposit.gateway).instructions(deposit)
    except WalletError:
        return None
