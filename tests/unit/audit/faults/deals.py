"""Faults in the rows of deals and of their hands."""

from collections.abc import Mapping

from tests.unit.audit.faults._fault import Fault

DEALS: Mapping[str, Fault] = {
    "finished deal called void": (["UPDATE tables_deal SET status = 'void' WHERE id = {deal}"], "deal", "deal {deal}"),
    "running deal by another book": (
        ["UPDATE tables_deal SET book = 'club-points' WHERE id = {running_deal}"],
        "deal",
        "deal {running_deal}",
    ),
    "running deal by another version": (
        ["UPDATE tables_deal SET book_version = 9 WHERE id = {running_deal}"],
        "deal",
        "deal {running_deal}",
    ),
    "another commitment": (
        [
            "UPDATE tables_deal SET commitment = (SELECT commitment FROM tables_deal d WHERE d.id = {other_deal})"
            " WHERE id = {deal}"
        ],
        "deal",
        "deal {deal}",
    ),
    "another seed": (
        [
            "UPDATE tables_deal SET sealed_seed = (SELECT sealed_seed FROM tables_deal d WHERE d.id = {other_deal})"
            " WHERE id = {deal}"
        ],
        "proof",
        "deal {deal}",
    ),
    "seed of a running deal swapped": (
        [
            "UPDATE tables_deal SET sealed_seed = (SELECT sealed_seed FROM tables_deal d WHERE d.id = {deal})"
            " WHERE id = {running_deal}"
        ],
        "deal",
        "deal {running_deal}",
    ),
    "seed blotted": (["UPDATE tables_deal SET sealed_seed = {garbage} WHERE id = {deal}"], "deal", "deal {deal}"),
    "seeds of players made up": (
        ['UPDATE tables_deal SET client_seeds = \'["00", "11"]\' WHERE id = {deal}'],
        "deal",
        "deal {deal}",
    ),
    "another order of play": (["UPDATE tables_deal SET \"order\" = '[5, 4]' WHERE id = {deal}"], "deal", "deal {deal}"),
    "another result": (
        [
            "UPDATE tables_deal SET result = (SELECT result FROM tables_deal d WHERE d.id = {other_deal})"
            " WHERE id = {deal}"
        ],
        "deal",
        "deal {deal}",
    ),
    "result gone": (["UPDATE tables_deal SET result = NULL WHERE id = {deal}"], "deal", "deal {deal}"),
    "deal out of number": (["UPDATE tables_deal SET number = 7 WHERE id = {deal}"], "match", "match {match}"),
    "deal that began at no time": (
        ["UPDATE tables_deal SET started_at = NULL WHERE id = {deal}"],
        "date",
        "deal {deal}",
    ),
    "deal dated two days back": (
        [
            "UPDATE tables_deal SET started_at = (SELECT taken_at FROM tables_seating WHERE id = {gone}),"
            " ended_at = (SELECT taken_at FROM tables_seating WHERE id = {gone}) WHERE id = {deal}"
        ],
        "date",
        "deal {deal}",
    ),
    "deal that ended at no time": (["UPDATE tables_deal SET ended_at = NULL WHERE id = {deal}"], "date", "deal {deal}"),
    "running deal called over": (
        ["UPDATE tables_deal SET status = 'over', ended_at = started_at WHERE id = {running_deal}"],
        "deal",
        "deal {running_deal}",
    ),
    "deal vanished": (["DELETE FROM tables_deal WHERE id = {other_deal}"], "log", "table {pool}"),
    "deal of nobody": (
        [
            "INSERT INTO tables_deal (id, match_id, number, book, book_version, status, commitment, sealed_seed,"
            ' client_seeds, "order", result, started_at, ended_at)'
            ' SELECT 9001, match_id, 2, book, book_version, status, commitment, sealed_seed, client_seeds, "order",'
            " result, started_at, ended_at FROM tables_deal d WHERE id = {deal}"
        ],
        "deal",
        "deal 9001",
    ),
    "deal in another match": (
        ["UPDATE tables_deal SET match_id = {cancelled} WHERE id = {deal}"],
        "log",
        "table {points}",
    ),
    "another outcome": (["UPDATE tables_dealseat SET outcome = 'won' WHERE id = {loser}"], "deal seat", "deal {deal}"),
    "other points": (["UPDATE tables_dealseat SET points = 2 WHERE id = {loser}"], "deal seat", "deal {deal}"),
    "another amount": (["UPDATE tables_dealseat SET amount = -2 WHERE id = {loser}"], "settled deals", "deal {deal}"),
    "another total": (["UPDATE tables_dealseat SET total = 99 WHERE id = {loser}"], "deal seat", "deal {deal}"),
    "hand of another seating": (
        ["UPDATE tables_dealseat SET seating_id = {seating_running} WHERE id = {loser}"],
        "deal seat",
        "deal {deal}",
    ),
    "hand in another's history": (
        ["UPDATE tables_dealseat SET user_id = {dina} WHERE id = {loser}"],
        "deal seat",
        "deal {deal}",
    ),
    "hand vanished": (["DELETE FROM tables_dealseat WHERE id = {loser}"], "deal seat", "deal {deal}"),
    "hand twice": (
        [
            "INSERT INTO tables_dealseat (id, deal_id, seating_id, user_id, seat, outcome, points, amount, total)"
            " SELECT 9001, deal_id, seating_id, user_id, seat, outcome, points, amount, total FROM tables_dealseat s"
            " WHERE id = {loser}"
        ],
        "deal seat",
        "deal {deal}",
    ),
}
