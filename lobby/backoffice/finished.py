"""The rows of the lobby that change no more once they are written: the night seals them, see `wallet.witness`."""

from django.db.models import Q

from wallet.witness.finished_rows import FinishedRows, register_rows

register_rows(
    FinishedRows("lobby.SignIn", ("player_id", "at", "how", "succeeded", "address", "client")),
    FinishedRows("lobby.Note", ("player_id", "author_id", "at", "text")),
    FinishedRows("lobby.Report", ("deal_id", "reporter_id", "about", "seat", "text", "at"), part="as sent"),
    FinishedRows(
        "lobby.Report", ("state", "note", "answer", "handled_by_id", "handled_at"), Q(state="closed"), part="as closed"
    ),
)
