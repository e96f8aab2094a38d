"""Pages of the lobby, rendered by the server; each works without JavaScript."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from lobby.accounts import guests
from lobby.accounts.models import Player
from lobby.accounts.recovery import codes
from lobby.accounts.sign_in import SignInRefused, too_many_sign_ups
from lobby.accounts.views import BACKEND
from lobby.stakes import open_tables, presenters, private_tables, selectors, services
from lobby.stakes.forms import BuyInForm, LobbyFilterForm, OwnTableForm
from lobby.stakes.models import Stake
from lobby.two_factor import sessions
from lobby.two_factor.codes import picture_of
from rules.books import with_deals
from rules.bots import Strength
from rules.errors import RulesError
from tables.errors import TableError
from tables.language import translated_title
from tables.models import Seating, Table
from tables.play.seating import most_to_bring
from tables.private_bounds import private_room
from wallet.base.api import is_id
from wallet.base.errors import Refusal
from wallet.language import gettext as _
from wallet.ledger import settlement_freeze
from wallet.ledger.selectors import spendable
from wallet.responsible_gaming import admission


@require_GET
def lobby(request: HttpRequest) -> HttpResponse:
    """Show the stakes on offer, filtered by the query."""
    form = LobbyFilterForm(request.GET)
    stakes = selectors.offered(form.stake_filter(in_units=True)) if form.is_valid() else selectors.offered()
    filtered = form.is_valid() and any(value not in (None, "") for value in form.cleaned_data.values())
    everything = selectors.offered() if filtered else stakes
    played = selectors.last_deals(request.user)
    newcomer = len(played) < selectors.NEWCOMER_DEALS
    # A regular finds what they play unfolded, or what they filter by.
    books = set() if newcomer or filtered else {part.deal.book for part in played}
    context = {
        "newcomer": newcomer,
        "last_deal": played[0] if played else None,
        "first_games": presenters.first_games(everything),
        "stakes_in_words": presenters.stakes_in_words(len(everything)),
        "filters": form,
        "sections": presenters.sections(stakes, played=books),
        "count": len(stakes),
        "filtered": filtered,
        "room": admission.remaining(request.user.pk, "FUN") if request.user.is_authenticated else None,
        "books_are_checked": settlement_freeze.is_frozen(),
        "codes_are_offered": isinstance(request.user, Player) and codes.are_offered(request.user),
        "waiting_tables": presenters.waiting_tables(everything),
        "quick_families": presenters.family_buttons(everything),
        "practice_books": presenters.practice_books(),
        "several_currencies": len({stake["currency"] for stake in stakes}) > 1 or bool(request.GET.get("currency")),
    }
    return render(request, "lobby/lobby.html", context)


@require_GET
def now(request: HttpRequest) -> HttpResponse:
    """Show the rows of the stakes in the query, and the tables where people wait, for a page whose socket calls."""
    wanted, everything = set(request.GET.getlist("stake")), selectors.offered_lately()
    context = {
        "waiting_tables": presenters.waiting_tables(everything),
        "stakes": [presenters.row(stake) for stake in everything if str(stake["id"]) in wanted],
    }
    return render(request, "lobby/now.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def sit(request: HttpRequest, stake_id: int) -> HttpResponseBase:
    """Show the form of the buy-in; on POST seat the player at any table of the stake, or at `table`."""
    if not request.user.is_authenticated:
        return _redirect_to_sign_up(reverse("lobby:sit", args=[stake_id]))
    player: Player = request.user
    try:
        stake = services.offered_stake(stake_id)
    except TableError as error:
        return _refused(request, error)
    if request.method != "POST":
        return _buy_in_page(request, stake, BuyInForm(request.GET or None, currency=stake.currency))
    form = BuyInForm(request.POST, currency=stake.currency)
    if not form.is_valid():
        return _buy_in_page(request, stake, form, status=400)
    amount, table_id = form.cleaned_data["buy_in"], form.cleaned_data["table"]
    try:
        if table_id:
            seating = services.sit_at(table_id=table_id, user=player, amount=amount)
        else:
            seating = services.quick_seat(stake_id=stake.pk, user=player, amount=amount)
    except (Refusal, RulesError) as error:
        return _refused(request, error, stake=stake, form=form)
    return _redirect_to_table(seating)


def _buy_in_page(
    request: HttpRequest,
    stake: Stake,
    form: BuyInForm,
    status: int = 200,
    private: Table | None = None,
    **extra_context: Any,
) -> HttpResponse:
    values = selectors.stake_values(stake)
    assert isinstance(request.user, Player)
    guests.ensure_wallet(request.user)
    free, most = spendable(request.user.pk, stake.currency), most_to_bring(request.user)
    context = {
        **_terms_context(stake, private),
        "invitation": _invites(private, stake, request.user) if private else "",
        "range": presenters.buy_in_range(
            values,
            free if most is None else most,
            room=admission.remaining(request.user.pk, stake.currency),
            private=private_room(request.user.pk, stake.currency) if private else None,
        ),
        "form": form,
        **extra_context,
    }
    return render(request, "lobby/sit.html", context, status=status)


def _terms_context(stake: Stake, private: Table | None) -> dict[str, Any]:
    """Return what a page shows of the game and its terms at that private table, or else at the stake."""
    return {
        "stake": presenters.row(selectors.stake_values(stake)),
        "facts": presenters.facts(with_deals(stake.rule_book, private_tables.deals_of(private) if private else None)),
        "clocks": presenters.clock_facts(stake) if private else (),
        "private": private,
        "has_room": private is None or open_tables.has_room(private),
    }


@require_POST
def practice(request: HttpRequest) -> HttpResponseBase:
    """Open a practice table against computer players, with one click."""
    if not request.user.is_authenticated:
        return _redirect_to_sign_up(reverse("lobby:lobby"))
    players = request.POST.get("players", "")
    try:
        seating = services.practice(
            user=request.user,
            book_key=request.POST.get("book", ""),
            players=int(players) if players.isdecimal() and len(players) < 3 else 0,
            strength=request.POST.get("strength") or Strength.SOUND,
            unhurried=True,
        )
    except (Refusal, RulesError) as error:
        return _refused(request, error)
    return _redirect_to_table(seating)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def private_new(request: HttpRequest) -> HttpResponseBase:
    """Show the form of a table with one's own terms; on POST open it and lead to its page, which shows the code."""
    assert isinstance(request.user, Player)
    form = OwnTableForm(request.POST if request.method == "POST" else None, initial={"book": "standard-points"})
    if request.method == "POST" and form.is_valid():
        try:
            stake, deals = form.instance, form.cleaned_data["deals"]
            code = private_tables.open_own_table(user=request.user, stake=stake, deals=deals)
        except (Refusal, RulesError) as error:
            if error.code != "limit_reached":
                return _refused(request, error)
            form.add_error(None, error.message)
        else:
            return redirect("lobby:private", code=code)
    return render(request, "lobby/private_new.html", {"form": form}, status=400 if form.errors else 200)


@require_POST
def seat_in_family(request: HttpRequest, family: str) -> HttpResponseBase:
    """Seat the player at the best open table of the family, with one click."""
    if not request.user.is_authenticated:
        return _redirect_to_sign_up(reverse("lobby:lobby"))
    try:
        return _redirect_to_table(services.seat_in_family(family=family, user=request.user))
    except (Refusal, RulesError) as error:
        return _refused(request, error)


@login_required
@require_GET
def private_code_picture(request: HttpRequest, code: str) -> HttpResponse:
    """Draw the link to a private table as a QR code."""
    try:
        table = services.find_private_table(request, code)
    except SignInRefused:
        return render(request, "429.html", status=429)
    return picture_of(_link_to(request, table))


def _link_to(request: HttpRequest, table: Table) -> str:
    return request.build_absolute_uri(reverse("lobby:private", args=[table.private_code]))


@require_POST
def play_now(request: HttpRequest) -> HttpResponseBase:
    """Start a first game with one click. A visitor becomes a guest; a player who has a seat returns to it."""
    if not request.user.is_authenticated and not _become_guest(request):
        return redirect("lobby:lobby")
    assert isinstance(request.user, Player)
    try:
        return _redirect_to_table(services.first_game(user=request.user))
    except (Refusal, RulesError) as error:
        return _refused(request, error)


@require_http_methods(["GET", "HEAD", "POST"])
def private_open(request: HttpRequest) -> HttpResponseBase:
    """Open a table for friends; its page shows the code to pass on. GET, from a typed address, leads to the lobby."""
    if request.method != "POST":
        return redirect("lobby:lobby")
    if not request.user.is_authenticated:
        return _redirect_to_sign_up(reverse("lobby:lobby"))
    sent = request.POST.get("stake", "")
    stake_id = int(sent) if is_id(sent) else 0
    try:
        code = services.open_private(stake_id=stake_id, user=request.user)
    except (Refusal, RulesError) as error:
        return _refused(request, error)
    return redirect("lobby:private", code=code)


@require_GET
def private_find(request: HttpRequest) -> HttpResponseBase:
    """Lead from a code typed in the lobby to the table's page."""
    code = services.tidy_code(request.GET.get("code", ""))[:12]
    if not code:
        messages.error(request, _("Enter the code that your friend gave you."))
        return redirect("lobby:lobby")
    return redirect("lobby:private", code=code)


@require_http_methods(["GET", "HEAD", "POST"])
def private(request: HttpRequest, code: str) -> HttpResponseBase:
    """Show the game and the form of the buy-in at the table of a code; on POST seat the player there.

    A visitor sees who invites them to what; on POST they become a guest, and come to that form.
    """
    try:
        table = services.find_private_table(request, code)
        stake = Stake.objects.get(pk=table.stake_id) if table.stake_id else private_tables.terms_as_stake(table)
        if not isinstance(request.user, Player):
            return _invitation(request, table, stake)
        form = BuyInForm(request.POST or None, currency=stake.currency)
        if request.method != "POST" or not form.is_valid():
            status = 400 if request.method == "POST" else 200
            return _buy_in_page(
                request, stake, form, status, table, link=_link_to(request, table), seated_here=_seated_at(table)
            )
        amount = form.cleaned_data["buy_in"]
        return _redirect_to_table(services.sit_by_code(code=code, user=request.user, amount=amount))
    except (Stake.DoesNotExist, Refusal, RulesError) as error:
        return _refused(request, error)


def _invitation(request: HttpRequest, table: Table, stake: Stake) -> HttpResponse:
    """Show a visitor the invitation: who invites, which game on which terms, and no word of those who sit there."""
    if request.method == "POST":
        _become_guest(request)
        return redirect("lobby:private", code=table.private_code)
    context = {**_terms_context(stake, table), "invitation": _invites(table, stake, request.user)}
    return render(request, "lobby/invited.html", context)


def _invites(table: Table, stake: Stake, reader: Any) -> str:
    """Return who invites the reader to which game; the game alone to the player who has opened the table."""
    host, book = private_tables.host_of(table), with_deals(stake.rule_book, private_tables.deals_of(table))
    game = translated_title(book.title)
    if host is None:
        return _("You are invited to {game}", game=game)
    return game if host == reader else _("{host} invites you to {game}", host=host.shown_name, game=game)


def _become_guest(request: HttpRequest) -> bool:
    """Sign the visitor in as a new guest; return whether it was done, else they find the reason on the next page."""
    if too_many_sign_ups(request):
        messages.error(request, _("Too many new guests from here. Please wait a minute, or sign up."))
        return False
    login(request, guests.create_guest(), backend=BACKEND)
    sessions.keep_signed_in(request, remember=True)
    return True


def _seated_at(table: Table) -> set[int | None]:
    """Return the users who have a seat at the table: nobody is asked to invite them there."""
    return set(Seating.objects.filter(table=table, left_at=None).values_list("user_id", flat=True))


def _redirect_to_table(seating: Seating) -> HttpResponse:
    return redirect("tables:table", seating.table_id)


def _redirect_to_sign_up(next_url: str) -> HttpResponse:
    return redirect(f"{reverse('lobby:signup')}?{urlencode({'next': next_url})}")


def _refused(
    request: HttpRequest, error: Exception, *, stake: Stake | None = None, form: BuyInForm | None = None
) -> HttpResponse:
    """Show the refusal where the player can act on it: at the buy-in or in the lobby."""
    if isinstance(error, SignInRefused):
        return render(request, "429.html", status=error.status)
    code = getattr(error, "code", "")
    messages.error(request, getattr(error, "message", _("There is no such table.")))
    if stake is not None and form is not None and code in {"below_minimum", "above_maximum", "insufficient_balance"}:
        return _buy_in_page(request, stake, form, status=400)
    return redirect("lobby:lobby")
