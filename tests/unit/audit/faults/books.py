"""Faults in the books, which stay consistent in themselves: only the events contradict them."""

from collections.abc import Mapping

from tests.unit.audit.faults._fault import REFIT, Fault

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
        ["UPDATE wallet_transfer SET credit_id = {loser_balance} WHERE posting_id = {prize} AND line = 0", REFIT],
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
            " credit_balance, seal) VALUES (9001, 9001, 0, {dina_balance}, 9001, 80, 0, 0, '')",
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
    "settlement said to be at another table": (
        ["UPDATE wallet_posting SET at_table = {running} WHERE id = {settled}", REFIT],
        "derived",
        "deal:{deal}:settle",
    ),
    "settlement said to be of another deal": (
        ["UPDATE wallet_posting SET at_deal = {other_deal} WHERE id = {settled}", REFIT],
        "derived",
        "deal:{deal}:settle",
    ),
    "prize said to be of another stake": (
        ["UPDATE wallet_posting SET at_stake = 777 WHERE id = {prize}", REFIT],
        "derived",
        "match:{pool_match}:prize",
    ),
    "entries taken nowhere": (
        ["UPDATE wallet_posting SET at_table = NULL WHERE id = {entries}", REFIT],
        "derived",
        "match:{running_match}:entries",
    ),
    "refund under a prize's name": (
        ["UPDATE wallet_posting SET reason = 'prize' WHERE id = {refund}", REFIT],
        "derived",
        "match:{cancelled}:refund",
    ),
}
