"""Faults to plant in the rows of tables and of staff: what is done, and by which check whose name it is found.

Each is plain SQL behind the backs of services, guards and constraints; the culprit knows no secret of the platform.
"""

from collections.abc import Mapping

#: The culprit also made every balance, digest and seal of the books fit what he did.
REFIT = "-- refit"

Fault = tuple[list[str], str, str]

TABLES: Mapping[str, Fault] = {
    "snapshot of another table": (
        [
            "UPDATE tables_table SET snapshot = (SELECT snapshot FROM tables_table o WHERE o.id = {stopped})"
            " WHERE id = {points}"
        ],
        "snapshot",
        "table {points}",
    ),
    "snapshot blotted": (
        ["UPDATE tables_table SET snapshot = {garbage} WHERE id = {running}"],
        "snapshot",
        "table {running}",
    ),
    "version further": (
        ["UPDATE tables_table SET version = version + 1 WHERE id = {points}"],
        "table",
        "table {points}",
    ),
    "another phase": (["UPDATE tables_table SET phase = 'melding' WHERE id = {running}"], "table", "table {running}"),
    "deadline put off": (
        ["UPDATE tables_table SET deadline_ms = deadline_ms + 60000 WHERE id = {running}"],
        "table",
        "table {running}",
    ),
    "deadline gone": (
        ["UPDATE tables_table SET deadline_ms = NULL WHERE id = {running}"],
        "table",
        "table {running}",
    ),
    "seated miscounted": (["UPDATE tables_table SET seated = 0 WHERE id = {running}"], "table", "table {running}"),
    "seats miscounted": (["UPDATE tables_table SET seats = 6 WHERE id = {running}"], "table", "table {running}"),
    "another book": (["UPDATE tables_table SET book = 'club-points' WHERE id = {points}"], "table", "table {points}"),
    "another version of the book": (
        ["UPDATE tables_table SET book_version = 9 WHERE id = {points}"],
        "table",
        "table {points}",
    ),
    "another family": (["UPDATE tables_table SET family = 'pool' WHERE id = {points}"], "table", "table {points}"),
    "chips called rupees": (
        ["UPDATE tables_table SET currency = 'INR' WHERE id = {points}"],
        "derived",
        "deal:",
    ),
    "closed while played": (
        ["UPDATE tables_table SET status = 'closed', closed_at = opened_at WHERE id = {running}"],
        "table",
        "table {running}",
    ),
    "open again after its end": (
        ["UPDATE tables_table SET status = 'open', closed_at = NULL WHERE id = {pool}"],
        "table",
        "table {pool}",
    ),
    "closed at no time": (["UPDATE tables_table SET closed_at = NULL WHERE id = {pool}"], "table", "table {pool}"),
    "closed before it was opened": (
        ["UPDATE tables_table SET closed_at = '2001-01-01 00:00:00+00:00' WHERE id = {pool}"],
        "table",
        "table {pool}",
    ),
    "stopped for nothing": (["UPDATE tables_table SET trouble = '' WHERE id = {stopped}"], "table", "table {stopped}"),
    "another deal at hand": (
        ["UPDATE tables_table SET deal_id = {deal} WHERE id = {running}"],
        "table",
        "table {running}",
    ),
    "other terms": (
        ["UPDATE tables_table SET terms = (SELECT terms FROM tables_table o WHERE o.id = {running}) WHERE id = {pool}"],
        "snapshot",
        "table {pool}",
    ),
    "table vanished": (["DELETE FROM tables_table WHERE id = {stopped}"], "reference", "event"),
}

MATCHES: Mapping[str, Fault] = {
    "settled match called cancelled": (
        ["UPDATE tables_match SET status = 'cancelled' WHERE id = {match}"],
        "match",
        "match {match}",
    ),
    "settled match called open": (
        ["UPDATE tables_match SET status = 'open', ended_at = NULL WHERE id = {match}"],
        "match",
        "match {match}",
    ),
    "cancelled for another reason": (
        ["UPDATE tables_match SET reason = 'Nobody knows' WHERE id = {cancelled}"],
        "match",
        "match {cancelled}",
    ),
    "match that ended at no time": (
        ["UPDATE tables_match SET ended_at = NULL WHERE id = {match}"],
        "match",
        "match {match}",
    ),
    "match that ended before it began": (
        ["UPDATE tables_match SET ended_at = '2001-01-01 00:00:00+00:00' WHERE id = {match}"],
        "match",
        "match {match}",
    ),
    "match by another book": (
        ["UPDATE tables_match SET book = 'club-points' WHERE id = {match}"],
        "match",
        "match {match}",
    ),
    "match by another version": (
        ["UPDATE tables_match SET book_version = 9 WHERE id = {match}"],
        "match",
        "match {match}",
    ),
    "match vanished": (["DELETE FROM tables_match WHERE id = {match}"], "reference", "deal {deal}"),
    "match of nobody": (
        [
            "INSERT INTO tables_match (id, table_id, book, book_version, status, started_at, ended_at, reason)"
            " SELECT 9001, table_id, book, book_version, 'settled', started_at, ended_at, '' FROM tables_match m"
            " WHERE id = {match}"
        ],
        "match",
        "match 9001",
    ),
    "match at another table": (
        ["UPDATE tables_match SET table_id = {stopped} WHERE id = {match}"],
        "match",
        "match {match}",
    ),
}

DEALS: Mapping[str, Fault] = {
    "finished deal called void": (["UPDATE tables_deal SET status = 'void' WHERE id = {deal}"], "deal", "deal {deal}"),
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
        "deal",
        "deal {deal}",
    ),
    "deal that ended at no time": (["UPDATE tables_deal SET ended_at = NULL WHERE id = {deal}"], "deal", "deal {deal}"),
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
    "another outcome": (
        ["UPDATE tables_dealseat SET outcome = 'won' WHERE id = {loser}"],
        "deal seat",
        "deal {deal}",
    ),
    "other points": (["UPDATE tables_dealseat SET points = 2 WHERE id = {loser}"], "deal seat", "deal {deal}"),
    "another amount": (["UPDATE tables_dealseat SET amount = -2 WHERE id = {loser}"], "settled deals", "deal:{deal}"),
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

SEATS: Mapping[str, Fault] = {
    "left, and not": (["UPDATE tables_seating SET left_at = NULL WHERE id = {gone}"], "seating", "seating {gone}"),
    "freed, and not": (["UPDATE tables_seating SET freed_at = NULL WHERE id = {gone}"], "seating", "seating {gone}"),
    "freed while he sits": (
        ["UPDATE tables_seating SET freed_at = taken_at, left_at = taken_at WHERE id = {seating}"],
        "freed seats",
        "seating:{seating}",
    ),
    "left while he sits": (
        ["UPDATE tables_seating SET left_at = taken_at WHERE id = {seating}"],
        "seating",
        "seating {seating}",
    ),
    "left before he came": (
        ["UPDATE tables_seating SET left_at = '2001-01-01 00:00:00+00:00' WHERE id = {gone}"],
        "seating",
        "seating {gone}",
    ),
    "seat of another player": (
        ["UPDATE tables_seating SET user_id = {dina} WHERE id = {seating_running}"],
        "derived",
        "seating:",
    ),
    "computer in place of a player": (
        ["UPDATE tables_seating SET user_id = NULL WHERE id = {seating_running}"],
        "log",
        "table {running}",
    ),
    "seating vanished": (["DELETE FROM tables_seating WHERE id = {seating_running}"], "log", "table {running}"),
    "seating of nobody": (
        [
            "INSERT INTO tables_seating (id, table_id, seat, user_id, name, taken_at, left_at, freed_at, connection,"
            " seen_ms) SELECT 9001, table_id, seat, user_id, name, taken_at, taken_at, taken_at, '', 0"
            " FROM tables_seating s WHERE id = {gone}"
        ],
        "seating",
        "table {points}",
    ),
    "moved to another seat": (
        ["UPDATE tables_seating SET seat = 5 WHERE id = {seating_running}"],
        "log",
        "table {running}",
    ),
    "moved to another table": (
        ["UPDATE tables_seating SET table_id = {pool} WHERE id = {seating_running}"],
        "log",
        "table {running}",
    ),
}

EVENTS: Mapping[str, Fault] = {
    "event vanished from the middle": (["DELETE FROM tables_event WHERE id = {drop}"], "log", "table {points}"),
    "last event vanished": (["DELETE FROM tables_event WHERE id = {last_event}"], "table", "table {running}"),
    "all events vanished": (["DELETE FROM tables_event WHERE table_id = {running}"], "table", "table {running}"),
    "event twice": (
        [
            "INSERT INTO tables_event (id, table_id, deal_id, version, number, kind, at_ms, payload)"
            " SELECT 9001, table_id, deal_id, version, number, kind, at_ms, payload FROM tables_event e"
            " WHERE id = {draw}"
        ],
        "log",
        "table {running}",
    ),
    "event told otherwise": (
        [
            "UPDATE tables_event SET payload = (SELECT payload FROM tables_event e WHERE e.id = {other_draw})"
            " WHERE id = {draw}"
        ],
        "snapshot",
        "table {running}",
    ),
    "event called otherwise": (
        ["UPDATE tables_event SET kind = 'player_dropped' WHERE id = {draw}"],
        "log",
        "table {running}",
    ),
    "event dated back": (["UPDATE tables_event SET at_ms = 1 WHERE id = {draw}"], "log", "table {running}"),
    "event blotted": (["UPDATE tables_event SET payload = {garbage} WHERE id = {draw}"], "log", "table {running}"),
    "event under another deal": (
        ["UPDATE tables_event SET deal_id = {deal} WHERE id = {draw}"],
        "log",
        "table {running}",
    ),
    "event under no deal": (["UPDATE tables_event SET deal_id = NULL WHERE id = {draw}"], "log", "table {running}"),
    "event under another version": (
        ["UPDATE tables_event SET version = version + 3 WHERE id = {draw}"],
        "log",
        "table {running}",
    ),
    "event under another number": (
        ["UPDATE tables_event SET number = 4 WHERE id = {draw}"],
        "log",
        "table {running}",
    ),
    "event at another table": (
        ["UPDATE tables_event SET table_id = {stopped} WHERE id = {draw}"],
        "log",
        "table {stopped}",
    ),
    "answer to nobody": (
        ["UPDATE tables_answer SET seating_id = 9001 WHERE id = {answer}"],
        "reference",
        "answer {answer}",
    ),
    "answer from the future": (
        ['UPDATE tables_answer SET answer = \'{{"type": "ack", "version": 999}}\' WHERE id = {answer}'],
        "answer",
        "answer {answer}",
    ),
    "answer that says nothing": (
        ["UPDATE tables_answer SET answer = '[]' WHERE id = {answer}"],
        "answer",
        "answer {answer}",
    ),
    "answer to no request": (["UPDATE tables_answer SET request_id = '' WHERE id = {answer}"], "answer", "{answer}"),
    "answer twice": (
        [
            "INSERT INTO tables_answer (id, seating_id, request_id, answer)"
            " SELECT 9001, seating_id, request_id, answer FROM tables_answer a WHERE id = {answer}"
        ],
        "answer",
        "answer",
    ),
}

#: The books are sound in themselves; only the events tell another story.
BOOKS: Mapping[str, Fault] = {
    "settlement vanished without a trace": (
        [
            "DELETE FROM wallet_transfer WHERE posting_id = {settled}",
            "DELETE FROM wallet_posting WHERE id = {settled}",
            REFIT,
        ],
        "derived",
        "deal:{deal}:settle",
    ),
    "settlement of another amount": (
        ["UPDATE wallet_transfer SET amount = amount + 1 WHERE posting_id = {settled} AND line = 0", REFIT],
        "derived",
        "deal:{deal}:settle",
    ),
    "settlement to the wrong side": (
        [
            "UPDATE wallet_transfer SET debit_id = credit_id, credit_id = debit_id WHERE posting_id = {settled}"
            " AND line = 0",
            REFIT,
        ],
        "derived",
        "deal:{deal}:settle",
    ),
    "fee forgotten": (
        ["DELETE FROM wallet_transfer WHERE posting_id = {settled} AND line = 1", REFIT],
        "derived",
        "deal:{deal}:settle",
    ),
    "settled under another key": (
        ["UPDATE wallet_posting SET key = 'deal:777:settle' WHERE id = {settled}", REFIT],
        "derived",
        "deal:777:settle",
    ),
    "prize to a loser": (
        ["UPDATE wallet_transfer SET credit_id = {loser_purse} WHERE posting_id = {prize} AND line = 0", REFIT],
        "derived",
        "match:{pool_match}:prize",
    ),
    "seat paid for that nobody took": (
        [
            "INSERT INTO wallet_account (id, kind, reference, currency, owner_id, balance, head)"
            " VALUES (9001, 'stack', 'seating:9001', 'FUN', {dina}, 0, '')",
            "INSERT INTO wallet_posting (id, key, digest, reason, created_at)"
            " SELECT 9001, 'seating:9001:buy_in', '', 'buy_in', MAX(created_at) FROM wallet_posting p",
            "INSERT INTO wallet_transfer (id, posting_id, line, debit_id, credit_id, amount, debit_balance,"
            " credit_balance, seal) VALUES (9001, 9001, 0, {dina_purse}, 9001, 80, 0, 0, '')",
            REFIT,
        ],
        "derived",
        "seating:9001:buy_in",
    ),
    "entry never taken": (
        ["DELETE FROM wallet_transfer WHERE posting_id = {entries} AND line = 1", REFIT],
        "derived",
        "match:{running_match}:entries",
    ),
    "refund under a prize's name": (
        ["UPDATE wallet_posting SET reason = 'prize' WHERE id = {refund}", REFIT],
        "derived",
        "match:{cancelled}:refund",
    ),
}

STAFF: Mapping[str, Fault] = {
    "adjusted by more than was asked": (
        ["UPDATE wallet_adjustment SET amount = amount - 1 WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "adjusted for another": (
        ["UPDATE wallet_adjustment SET player_id = {asha} WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "adjusted in another currency": (
        ["UPDATE wallet_adjustment SET currency = 'INR' WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "adjusted for another reason": (
        ["UPDATE wallet_adjustment SET reason = 'Nothing' WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "asked for by another": (
        ["UPDATE wallet_adjustment SET asked_by_id = {dina} WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "decided by who asked": (
        ["UPDATE wallet_adjustment SET decided_by_id = asked_by_id WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "decided by another": (
        ["UPDATE wallet_adjustment SET decided_by_id = {dina} WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "decided by nobody": (
        ["UPDATE wallet_adjustment SET decided_by_id = NULL WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "decided for another reason": (
        ["UPDATE wallet_adjustment SET decision = 'Why not' WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "decided before it was asked": (
        ["UPDATE wallet_adjustment SET decided_at = '2001-01-01 00:00:00+00:00' WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "refused one called posted": (
        ["UPDATE wallet_adjustment SET status = 'posted', key = 'adjust:{refused}' WHERE id = {refused}"],
        "adjustment",
        "adjustment {refused}",
    ),
    "posted one called waiting": (
        ["UPDATE wallet_adjustment SET status = 'asked', key = '' WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "adjustment under another key": (
        ["UPDATE wallet_adjustment SET key = 'adjust:777' WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "adjustment over nothing": (
        ["UPDATE wallet_adjustment SET amount = 0 WHERE id = {waiting}"],
        "adjustment",
        "adjustment {waiting}",
    ),
    "adjustment vanished": (
        ["DELETE FROM wallet_adjustment WHERE id = {large}"],
        "adjustment",
        "(adjust:{large})",
    ),
    "wish for an adjustment vanished": (
        ["DELETE FROM wallet_adjustment WHERE id = {waiting}"],
        "adjustment",
        "adjustment {waiting}",
    ),
    "freeze lifted by another": (
        ["UPDATE wallet_freeze SET lifted_by_id = {dina} WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze lifted by nobody": (
        ["UPDATE wallet_freeze SET lifted_by_id = NULL WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze lifted for another reason": (
        ["UPDATE wallet_freeze SET note = 'All is well' WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze never lifted": (
        ["UPDATE wallet_freeze SET lifted_at = NULL, lifted_by_id = NULL, note = '' WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze lifted before it began": (
        ["UPDATE wallet_freeze SET lifted_at = '2001-01-01 00:00:00+00:00' WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze for another reason": (
        ["UPDATE wallet_freeze SET reason = 'A holiday' WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze vanished": (["DELETE FROM wallet_freeze WHERE id = {freeze}"], "freeze", "freeze {freeze}"),
    "audit that found nothing after all": (
        ["UPDATE wallet_auditrun SET differences = 0 WHERE id = {alarm}"],
        "audit run",
        "audit {alarm}",
    ),
    "audit whose findings are gone": (
        ["UPDATE wallet_auditrun SET findings = '[]' WHERE id = {alarm}"],
        "audit run",
        "audit {alarm}",
    ),
    "audit that counted more accounts": (
        ["UPDATE wallet_auditrun SET accounts = accounts + 99 WHERE id = {alarm}"],
        "audit run",
        "audit {alarm}",
    ),
    "audit that counted more transfers": (
        ["UPDATE wallet_auditrun SET transfers = transfers + 99 WHERE id = {alarm}"],
        "audit run",
        "audit {alarm}",
    ),
    "audit that ended before it began": (
        ["UPDATE wallet_auditrun SET ended_at = '2001-01-01 00:00:00+00:00' WHERE id = {alarm}"],
        "audit run",
        "audit {alarm}",
    ),
    "export of fewer rows": (
        ["UPDATE wallet_exportrecord SET rows = 1 WHERE id = {export}"],
        "export",
        "export {export}",
    ),
    "export of another file": (
        ["UPDATE wallet_exportrecord SET digest = 'ff' WHERE id = {export}"],
        "export",
        "export {export}",
    ),
    "export by another": (
        ["UPDATE wallet_exportrecord SET by_id = {dina} WHERE id = {export}"],
        "export",
        "export {export}",
    ),
    "export as of another transfer": (
        ["UPDATE wallet_exportrecord SET as_of = 1 WHERE id = {export}"],
        "export",
        "export {export}",
    ),
    "export of other days": (
        ["UPDATE wallet_exportrecord SET last = first WHERE id = {export}"],
        "export",
        "export {export}",
    ),
    "export vanished": (["DELETE FROM wallet_exportrecord WHERE id = {export}"], "export", "export {export}"),
    "day signed by another": (
        ["UPDATE wallet_dayhead SET signature = 'ff' WHERE id = {head}"],
        "day",
        "{day}",
    ),
    "day with other seals": (["UPDATE wallet_dayhead SET digest = 'ff' WHERE id = {head}"], "day", "{day}"),
    "day with fewer transfers": (["UPDATE wallet_dayhead SET transfers = 1 WHERE id = {head}"], "day", "{day}"),
    "day up to another transfer": (["UPDATE wallet_dayhead SET last = 1 WHERE id = {head}"], "day", "{day}"),
    "signed day vanished": (["DELETE FROM wallet_dayhead WHERE id = {head}"], "day", "{day}"),
}

TRAIL: Mapping[str, Fault] = {
    "act for another reason": (
        ["UPDATE trail_record SET reason = 'Nothing' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act by another": (["UPDATE trail_record SET user_id = {dina} WHERE id = {act}"], "trail", "entry {act}"),
    "act under another name": (["UPDATE trail_record SET name = 'dina' WHERE id = {act}"], "trail", "entry {act}"),
    "act from elsewhere": (["UPDATE trail_record SET address = '8.8.8.8' WHERE id = {act}"], "trail", "entry {act}"),
    "act on another object": (
        ["UPDATE trail_record SET object_id = '777' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "another act": (["UPDATE trail_record SET what = 'player.note' WHERE id = {act}"], "trail", "entry {act}"),
    "act with another outcome": (
        ["UPDATE trail_record SET after = '{{\"balance\": 1}}' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act on something else before": (
        ["UPDATE trail_record SET before = NULL WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act at another time": (
        ["UPDATE trail_record SET at = '2001-01-01 00:00:00+00:00' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act with another seal": (["UPDATE trail_record SET seal = 'ff' WHERE id = {act}"], "trail", "entry {act}"),
    "act vanished": (["DELETE FROM trail_record WHERE id = {act}"], "trail", "entry"),
    "act twice": (
        ["INSERT INTO trail_record (id, at, user_id, name, address, what, kind, object_id, shown, reason, before,"
         " after, follows, seal) SELECT 9001, at, user_id, name, address, what, kind, object_id, shown, reason,"
         " before, after, follows, seal FROM trail_record t WHERE id = {act}"],
        "trail", "entry 9001",
    ),
    "act made up": (
        ["INSERT INTO trail_record (id, at, user_id, name, address, what, kind, object_id, shown, reason, before,"
         " after, follows, seal) SELECT 9001, at, user_id, name, address, 'player.note', kind, object_id, shown, '',"
         " NULL, NULL, seal, 'ff' FROM trail_record t WHERE id = {act}"],
        "trail", "entry 9001",
    ),
}  # fmt: skip

FAULTS: Mapping[str, Fault] = {**TABLES, **MATCHES, **DEALS, **SEATS, **EVENTS, **BOOKS, **STAFF, **TRAIL}
