"""Faults to plant in the books."""

BALANCES, SEALS = "balances", "seals"

#: What was done to the books, how the culprit covered it up, and which checks find it all the same.
FAULTS: dict[str, tuple[list[str], set[str], set[str]]] = {
    "chips out of nothing": (
        ["UPDATE {account} SET balance = balance + 7 WHERE id = {asha}"],
        set(),
        {"balance", "total"},
    ),
    "chips from one to another": (
        [
            "UPDATE {account} SET balance = balance - 7 WHERE id = {bela}",
            "UPDATE {account} SET balance = balance + 7 WHERE id = {asha}",
        ],
        set(),
        {"balance"},
    ),
    "running balance altered": (
        ["UPDATE {transfer} SET debit_balance = 1 WHERE posting_id = {cash_out}"],
        set(),
        {"chain"},
    ),
    "transfer removed": (
        ["DELETE FROM {transfer} WHERE posting_id = {cash_out}"],
        set(),
        {"empty_posting", "balance", "chain"},
    ),
    "transfer removed, balances made to fit": (
        ["DELETE FROM {transfer} WHERE posting_id = {cash_out}"],
        {BALANCES},
        {"empty_posting"},
    ),
    "one transfer of several removed": (
        ["DELETE FROM {transfer} WHERE posting_id = {deal} AND line = 2"],
        {BALANCES},
        {"digest"},
    ),
    "transfers renumbered": (
        ["UPDATE {transfer} SET line = 9 WHERE posting_id = {deal} AND line = 2"],
        set(),
        {"lines"},
    ),
    "transfer added to an old posting": (
        [
            "INSERT INTO {transfer} ({columns}) SELECT 9001, posting_id, 1, debit_id, credit_id, 1, 0, 0"
            " FROM {transfer} t WHERE posting_id = {add_chips}"
        ],
        {BALANCES},
        {"digest"},
    ),
    "amount altered, balances made to fit": (
        ["UPDATE {transfer} SET amount = amount + 1 WHERE posting_id = {cash_out}"],
        {BALANCES},
        {"digest"},
    ),
    "key altered": (["UPDATE {posting} SET key = 'deal:7:settle' WHERE id = {deal}"], set(), {"digest"}),
    "reason altered": (["UPDATE {posting} SET reason = 'buy_in' WHERE id = {add_chips}"], set(), {"digest"}),
    "place altered": (["UPDATE {posting} SET at_table = 7 WHERE id = {deal}"], set(), {"digest"}),
    "deal given where no table is": (
        ["UPDATE {posting} SET at_deal = 7, at_title = 'other' WHERE at_table IS NULL"],
        set(),
        {"digest"},
    ),
    # Only the chain shows it: the digest alone can be computed anew by anybody.
    "place altered, and the digest with it": (
        ["UPDATE {posting} SET at_table = 7, at_stake = 3, at_book = 'other' WHERE id = {deal}"],
        {SEALS},
        set(),
    ),
    "posting done twice": (
        [
            "INSERT INTO {posting} ({of_posting}) SELECT 9001, key, digest, reason, created_at FROM {posting} p"
            " WHERE id = {add_chips}",
            "INSERT INTO {transfer} ({columns}) SELECT 9001, 9001, line, debit_id, credit_id, amount, 0, 0"
            " FROM {transfer} t WHERE posting_id = {add_chips}",
            "UPDATE {posting} SET created_at = (SELECT MAX(created_at) FROM {posting} p) WHERE id = 9001",
        ],
        {BALANCES, SEALS},
        {"key"},
    ),
    "amount of nothing": (
        ["UPDATE {transfer} SET amount = 0 WHERE posting_id = {cash_out}"],
        {BALANCES, SEALS},
        {"amount"},
    ),
    "amount below nothing": (
        ["UPDATE {transfer} SET amount = -5 WHERE posting_id = {add_chips}"],
        {BALANCES, SEALS},
        {"amount"},
    ),
    "amount without bound": (
        ["UPDATE {transfer} SET amount = 1000000000000001 WHERE posting_id = {sign_up}"],
        {BALANCES, SEALS},
        {"amount", "grant"},
    ),
    "stack below zero": (
        ["UPDATE {transfer} SET amount = 2000 WHERE posting_id = {deal} AND line = 0"],
        {BALANCES, SEALS},
        {"negative"},
    ),
    "account pays itself": (
        ["UPDATE {transfer} SET credit_id = debit_id WHERE posting_id = {cash_out}"],
        {BALANCES, SEALS},
        {"sides", "route"},
    ),
    "player pays a player": (
        ["UPDATE {transfer} SET debit_id = {bela} WHERE posting_id = {cash_out}"],
        {BALANCES, SEALS},
        {"route"},
    ),
    "chips become marks": (
        ["UPDATE {transfer} SET credit_id = {marks} WHERE posting_id = {cash_out}"],
        {BALANCES, SEALS},
        {"currency", "total"},
    ),
    "unknown currency": (["UPDATE {account} SET currency = 'EUR' WHERE id = {marks}"], set(), {"currency"}),
    "posting vanished": (["DELETE FROM {posting} WHERE id = {cash_out}"], set(), {"reference"}),
    "account vanished": (["DELETE FROM {account} WHERE id = {pot_refunded}"], set(), {"reference"}),
    "owner vanished": (["UPDATE {account} SET owner_id = 999999 WHERE id = {stack}"], set(), {"reference", "owner"}),
    "account twice": (
        [
            "INSERT INTO {account} ({of_account}) SELECT 9001, kind, reference, currency, 0, owner_id, ''"
            " FROM {account} a WHERE id = {asha}"
        ],
        set(),
        {"key"},
    ),
    "stack in a second currency": (
        [
            "INSERT INTO {account} ({of_account}) SELECT 9001, kind, reference, 'TST', 0, owner_id, '' FROM {account} a"
            " WHERE id = {stack}"
        ],
        set(),
        {"key"},
    ),
    "account under another's name": (
        ["UPDATE {account} SET reference = 'user:999999' WHERE id = {asha}"],
        set(),
        {"identity"},
    ),
    "player without a user": (["UPDATE {account} SET owner_id = NULL WHERE id = {marks}"], set(), {"identity"}),
    "house account with an owner": (["UPDATE {account} SET owner_id = {user} WHERE id = {fees}"], set(), {"identity"}),
    "stack paid to another": (
        ["UPDATE {transfer} SET credit_id = {dina} WHERE posting_id = {cash_out}"],
        {BALANCES, SEALS},
        {"owner"},
    ),
    "stack paid to the practice house": (
        ["UPDATE {transfer} SET credit_id = {practice} WHERE posting_id = {cash_out}"],
        {BALANCES, SEALS},
        {"owner"},
    ),
    "prize smaller than the pot": (
        ["UPDATE {transfer} SET amount = 999 WHERE posting_id = {prize} AND line = 0"],
        {BALANCES, SEALS},
        {"pot"},
    ),
    "prize to one who did not play": (
        ["UPDATE {transfer} SET credit_id = {dina} WHERE posting_id = {prize} AND line = 0"],
        {BALANCES, SEALS},
        {"payout"},
    ),
    "pot paid out in two goes": (
        [
            "INSERT INTO {posting} ({of_posting}) SELECT 9001, 'match:1:refund', digest, 'prize', created_at"
            " FROM {posting} p WHERE id = {last}",
            "UPDATE {transfer} SET posting_id = 9001, line = 0 WHERE posting_id = {prize} AND line = 2",
        ],
        {BALANCES, SEALS},
        {"payout"},
    ),
    "deal with two winners": (
        ["UPDATE {transfer} SET credit_id = {other_stack} WHERE posting_id = {deal} AND line = 0"],
        {BALANCES, SEALS},
        {"deal"},
    ),
    "fee paid by a loser": (
        ["UPDATE {transfer} SET debit_id = {other_stack} WHERE posting_id = {deal} AND line = 2"],
        {BALANCES, SEALS},
        {"deal"},
    ),
    "welcome chips under another key": (
        ["UPDATE {posting} SET key = 'signup:again' WHERE id = {sign_up}"],
        {SEALS},
        {"sign_up"},
    ),
    "posting dated back": (
        ["UPDATE {posting} SET created_at = '2001-01-01 00:00:00+00:00' WHERE id = {cash_out}"],
        set(),
        {"time"},
    ),
    "posting of tomorrow": (
        ["UPDATE {posting} SET created_at = '2101-01-01 00:00:00+00:00' WHERE id = {cash_out}"],
        set(),
        {"time"},
    ),
}

#: Faults of the list above that no link can show: they are in accounts, or in what only a posting's digest covers.
NOT_SEALED = {
    "chips out of nothing",
    "chips from one to another",
    "key altered",
    "reason altered",
    "place altered",
    "deal given where no table is",
    "unknown currency",
    "owner vanished",
    "account twice",
    "stack in a second currency",
    "account under another's name",
    "player without a user",
    "house account with an owner",
    "account vanished",
}
