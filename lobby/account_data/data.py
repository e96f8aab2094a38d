"""The file with the data that the platform holds about a player: `data.json` in a zip, made on request.

Amounts are in the smallest unit of their currency; times are ISO 8601 in UTC.
"""

import json
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import IO, Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Value
from django.db.models.functions import Coalesce, NullIf
from django.http import HttpResponseBase

from lobby.accounts.forms import PROFILE_FIELDS
from lobby.accounts.models import Player
from lobby.friends.models import Friendship
from wallet.base.api import attachment
from wallet.base.money import CURRENCIES
from wallet.ledger import selectors as ledger
from wallet.ledger.snapshots import snapshot
from wallet.ledger.statements import STATEMENT_COLUMNS, statement_rows

#: The columns in the file, by the relation from a player to the rows. Of others, it has only the names that they show.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "sign_ins": ("at", "how", "succeeded", "address", "client"),
    "seatings": ("table_id", "seat", "name", "taken_at", "left_at"),
    "hosted_tables": ("table_id",),
    "practice_tables": ("id", "title", "book", "opened_at", "closed_at"),
    "ratings": ("family", "mu", "sigma", "shown", "matches"),
    "rated_results": ("family", "ended_at", "number", "place", "shows", "won", "mu", "sigma"),
    "attempts": ("shoe_id", "table_id"),
    "duplicate_matches": ("code", "begins_at", "ends_at"),
    "puzzle_tries": ("puzzle_id", "at", "answer", "solved", "first", "rating", "change"),
    "puzzle_runs": ("started_ms", "ends_ms", "solved", "wrong", "last_ms"),
    "tournament_entrants": ("tournament_id", "name", "entered_at", "status", "deals", "deals_won", "place", "prize"),
    "deals": ("deal_id", "seat", "outcome", "points", "total", "amount"),
    "analyses": ("deal_id", "seat", "samples", "decisions", "judged", "reviews", "asked_at", "done_at"),
    "shared_deals": ("deal_id", "names_hidden", "created_at", "revoked_at"),
    "friendships_offered": ("status", "changed_at"),
    "blocks": (),
    "mutes": (),
    "invitations": ("table_id", "sent_at"),
    "reports": ("id", "deal_id", "about", "seat", "text", "email", "at", "state", "acknowledged_at", "answer",
                "answer_read_at", "handled_at"),
    "limits": ("kind", "currency", "period", "amount", "pending_amount", "pending_at"),
    "exclusions": ("since", "until", "by_staff", "lifted_at"),
    "settings_changes": ("at", "text"),
    "adjustments": ("currency", "amount", "reason", "status", "asked_at", "decided_at"),
    "password_codes": ("made_at", "used_at"),
    "support_recoveries": ("asked_at", "status", "by_mail", "decided_at", "code_used_at", "notice_read_at"),
}  # fmt: skip
#: The person in a row of these, whose shown name is in the file as `name`.
PEOPLE = {"friendships_offered": "asker", "blocks": "blocked", "mutes": "muted", "invitations": "by"}
#: The same for relations with one row at most.
SINGLE_ROW_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "play_settings": ("reminder_minutes", "reminded_at"),
    "puzzle_solver": ("rating", "deviation", "volatility", "tries", "solved"),
    "auth_token": ("created",),
    "authenticator": ("made_at", "confirmed_at"),
}
#: Relations that are in the file in another form, or left out, and why.
OTHER_RELATIONS = {
    "accounts": "the balances, and every entry of the statement",
    "friendships_asked": "an answer that is not a yes looks like none, as on the page",
    "acts": "the work of staff",
    "logentry_set": "the work of staff",
    "notes": "staff write them for staff",
    "pair_sums": "reckoned for staff from deals that are in the file, and telling of others",
    "pair_sums_of_others": "reckoned for staff from deals that are in the file, and telling of others",
    "cases_as_one": "staff look at them, and they tell of another player",
    "cases_as_other": "staff look at them, and they tell of another player",
}
ACCOUNT_COLUMNS = ("id", "username", "display_name", "first_name", "last_name", "email", "avatar", "language",
           "hides_presence", "refuses_requests", "forbids_watching", "shares_deals", "hides_rating",
           *PROFILE_FIELDS,
           "is_guest", "date_joined", "last_login")  # fmt: skip
_CHUNK = 2_000


def data_file(player: Player) -> HttpResponseBase:
    """Return the file, written whole from one snapshot before any of it is sent; memory does not grow with its size."""
    with ExitStack() as open_files:
        out = open_files.enter_context(tempfile.TemporaryFile())
        with (
            zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open("data.json", "w", force_zip64=True) as file,
            snapshot(),
        ):
            _write(file, player)
        open_files.pop_all()
    return attachment("my-data.zip", out, "application/zip")


def _write(file: IO[bytes], player: Player) -> None:
    file.write(b'{\n"account": ' + _json({name: getattr(player, name) for name in ACCOUNT_COLUMNS}))
    file.write(b',\n"balances": ' + _json(ledger.balances(player)))
    for name, rows in _lists(player):
        file.write(f',\n"{name}": ['.encode())
        for number, row in enumerate(rows):
            file.write((b",\n  " if number else b"\n  ") + _json(row))
        file.write(b"\n]")
    file.write(b"\n}\n")


def _lists(player: Player) -> Iterator[tuple[str, Iterable[Mapping[str, Any]]]]:
    for currency in CURRENCIES:
        rows = statement_rows(player, currency, None, None)
        yield f"statement_{currency}", (dict(zip(STATEMENT_COLUMNS, row, strict=True)) for row in rows)
    for name, fields in COLUMNS.items():
        names = {"name": _shown_name(PEOPLE[name])} if name in PEOPLE else {}
        related = getattr(player, name).order_by("pk").values(*fields, **names)
        yield name, related.iterator(chunk_size=_CHUNK)
    for name, fields in SINGLE_ROW_COLUMNS.items():
        model: Any = Player._meta.get_field(name).related_model
        field = Player._meta.get_field(name).remote_field.name  # type: ignore[union-attr]
        yield name, model.objects.filter(**{field: player}).values(*fields)
    yield "friendships_asked", _friendships_asked(player)


def _shown_name(relation: str) -> Coalesce:
    return Coalesce(NullIf(f"{relation}__display_name", Value("")), f"{relation}__username")


def _friendships_asked(player: Player) -> Iterator[Mapping[str, Any]]:
    """Yield the player's requests without what they must not learn: that, and when, one was refused."""
    accepted, withdrawn = Friendship.Status.ACCEPTED, Friendship.Status.WITHDRAWN
    rows = player.friendships_asked.exclude(status=withdrawn).order_by("pk")
    for row in rows.values("status", "changed_at", name=_shown_name("asked")).iterator(chunk_size=_CHUNK):
        is_friend = row["status"] == accepted
        since = row["changed_at"] if is_friend else None
        yield {"name": row["name"], "status": accepted if is_friend else Friendship.Status.ASKED, "since": since}


def _json(content: Any) -> bytes:
    return json.dumps(content, cls=DjangoJSONEncoder, ensure_ascii=False).encode()
