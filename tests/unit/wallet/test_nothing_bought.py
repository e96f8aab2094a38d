"""Nothing can be bought, staked or won: what a player holds changes by play, gifts and refills, and by nothing else.

Every reason of the books and every way in, page, API, admin, socket, command and task, is walked. `moves_chips.txt`
says what each way in can bring about; a new one that moves chips fails until somebody has put it there, and one that
reaches the books by none of KINDS fails for good. `RUMMY_WRITE_MATRIX=1` rewrites the file, to be reviewed before it
is committed.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.contrib import admin
from django.core.management import get_commands
from django.urls import get_resolver

from config.asgi import routes
from tests.support import reaching
from tests.unit.staff.walking import _plain, _walk
from wallet.ledger import ledger
from wallet.models import AccountKind, Reason

FILE = Path(__file__).parent / "moves_chips.txt"
HEAD = """\
# Every way in that can change what somebody holds, and by what: see test_nothing_bought.py.
#
# play: seats, deals, entries, prizes, refunds. welcome: the chips of a new account. refill: once a day.
# staff: an adjustment with a reason, by two people above a limit. leaving: chips forfeited with the account.
#
"""
POST = "wallet.ledger.ledger.post"
POSTS = {POST, f"{POST}_together"}
_SERVICES, _TOURNAMENTS = "wallet.play_money.services", "wallet.play_money.tournaments"
#: The only functions by which anything reaches the books, and the kind of each.
KINDS: Mapping[str, str] = {
    **dict.fromkeys(
        (f"{_SERVICES}.{name}" for name in ("buy_in", "add_chips", "settle_deal", "cash_out", "take_entries",
                                            "rejoin_entry", "award_prize", "refund_match")), "play"),
    **dict.fromkeys(
        (f"{_TOURNAMENTS}.{name}" for name in ("take_tournament_entry", "return_tournament_entries",
                                               "award_tournament", "issue_chips", "take_chips_back")), "play"),
    "wallet.play_money.recovery.refund_from_books": "play",
    f"{_SERVICES}.open_wallet": "welcome",
    "wallet.play_money.refills.refill": "refill",
    "wallet.adjustments._post": "staff",
    "wallet.play_money.recovery.forfeit": "leaving",
}  # fmt: skip
#: What stands between these and POSTS.
BETWEEN = {f"{_SERVICES}.{name}" for name in ("_post", "_posted", "_emptying", "grant")}
#: What each reason is. A new one fails until it is one of these, and its routes are those of its kind.
OF_PLAY = {
    Reason.BUY_IN, Reason.ADD_CHIPS, Reason.DEAL, Reason.CASH_OUT, Reason.ENTRY, Reason.REJOIN, Reason.PRIZE,
    Reason.REFUND, Reason.TOURNAMENT_ENTRY, Reason.TOURNAMENT_PRIZE, Reason.TOURNAMENT_REFUND, Reason.CHIPS_ISSUED,
    Reason.CHIPS_TAKEN_BACK,
}  # fmt: skip
GIFTS, TAKEN = {Reason.SIGN_UP, Reason.REFILL, Reason.ADJUST}, {Reason.FORFEIT, Reason.ADJUST}
PLAYER, ISSUANCE = AccountKind.PLAYER, AccountKind.ISSUANCE
#: Where chips lie while they are played for, and what the house has of its own.
AT_PLAY = {AccountKind.STACK, AccountKind.POT}


def wrong_routes(routes: Mapping[Any, Any]) -> Iterator[str]:
    """Yield every route by which chips would change hands otherwise than by play, gifts of the house and forfeits."""
    for reason, pairs in routes.items():
        if reason not in OF_PLAY | GIFTS | TAKEN:
            yield f"{reason} is of no kind"
        for debit, credit in pairs:
            is_gift, is_taken = (debit, credit) == (ISSUANCE, PLAYER), (debit, credit) == (PLAYER, ISSUANCE)
            by_play = AT_PLAY & {debit, credit} and reason in OF_PLAY
            if not (by_play or (is_gift and reason in GIFTS) or (is_taken and reason in TAKEN)):
                yield f"{reason}: {debit} to {credit}"


def ways_in() -> dict[str, str]:
    """Return every way in, with the dotted name of what answers there."""
    found = {}
    for parts in _walk(get_resolver().url_patterns, ()):
        address = "/" + "".join(_plain(str(part.pattern)) for part in parts)
        if not address.startswith("/admin/"):
            found[f"page {address}"] = _name(parts[-1].callback)
    for model, of in admin.site._registry.items():
        found[f"admin {model._meta.label_lower}"] = _dotted(type(of))
    for pattern in routes:
        found[f"socket {pattern.pattern}"] = _dotted(pattern.callback._consumer.consumer_class)
    for command, app in get_commands().items():
        if not str(app).startswith("django") and str(app).split(".")[0] in reaching.APPS:
            found[f"command {command}"] = f"{app}.management.commands.{command}.Command"
    for name in ("lobby.tasks", "tables.tasks", "wallet.tasks"):
        import_module(name)
    for name, task in current_app.tasks.items():
        if name.split(".")[0] in reaching.APPS:
            found[f"task {name}"] = f"{task.__module__}.{task.__name__}"
    return found


def _name(callback: Callable[..., Any]) -> str:
    of = getattr(callback, "view_class", None) or getattr(callback, "cls", None) or callback
    return _dotted(of)


def _dotted(of: Any) -> str:
    return f"{of.__module__}.{of.__qualname__.split('.')[0]}"


def kinds_of(name: str) -> str:
    """Return the kinds of changes that it can bring about, with blanks; empty for none."""
    return " ".join(sorted({KINDS[each] for each in reaching.reached(name) if each in KINDS}))


def test_the_books_know_no_way_from_player_to_player_and_none_to_buy_or_cash_in() -> None:
    assert set(Reason) == OF_PLAY | GIFTS | TAKEN
    assert set(ledger.ROUTES) == set(Reason)
    assert list(wrong_routes(ledger.ROUTES)) == []


@pytest.mark.parametrize(
    ("reason", "debit", "credit"),
    [
        ("deposit", ISSUANCE, PLAYER),
        ("withdrawal", PLAYER, ISSUANCE),
        ("present", PLAYER, PLAYER),
        (Reason.REFILL, PLAYER, PLAYER),
        (Reason.REFILL, PLAYER, ISSUANCE),
        (Reason.PRIZE, ISSUANCE, PLAYER),
        (Reason.ADJUST, PLAYER, PLAYER),
        (Reason.SIGN_UP, AccountKind.FEES, PLAYER),
    ],
)
def test_a_planted_reason_or_route_is_found(reason: Any, debit: AccountKind, credit: AccountKind) -> None:
    assert list(wrong_routes({**ledger.ROUTES, reason: {(debit, credit)}}))


def test_the_books_are_reached_by_these_functions_alone() -> None:
    reach = {name for name in reaching.mentions() if not POSTS.isdisjoint(reaching.mentions()[name])}
    through = {name for each in BETWEEN for name in reaching.who_mentions(each)}
    refill_opens = {"wallet.play_money.refills.refill"}
    assert reach | through == (set(KINDS) | BETWEEN | refill_opens) - {f"{_SERVICES}.grant"} | {f"{_SERVICES}.grant"}


def test_every_way_in_changes_what_somebody_holds_by_play_gifts_and_refills_alone() -> None:
    found = ways_in()
    unknown = [f"{way}: {name}" for way, name in found.items() if _is_ours(name) and name not in reaching.mentions()]
    assert unknown == [], "nothing is known of what answers there"
    moving = {way: kinds for way, name in found.items() if (kinds := kinds_of(name))}
    written = HEAD + "".join(f"{way:<58} {kinds}\n" for way, kinds in sorted(moving.items()))
    if os.environ.get("RUMMY_WRITE_MATRIX"):
        FILE.write_text(written)
    assert written == FILE.read_text()


def test_a_planted_address_that_posts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that sells chips would have to reach the books by a gate, or past them: both show."""
    graph = dict(reaching.mentions())
    graph["lobby.help.views.how_to_play"] = graph["lobby.help.views.how_to_play"] | {f"{_SERVICES}.open_wallet"}
    graph["lobby.shop.sell"] = {POST}
    monkeypatch.setattr(reaching, "mentions", lambda: graph)
    assert kinds_of("lobby.help.views.how_to_play") == "welcome"
    assert "lobby.shop.sell" in reaching.who_mentions(POST)


def _is_ours(name: str) -> bool:
    return name.split(".")[0] in reaching.APPS
