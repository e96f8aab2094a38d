"""What every room of Django stands on.

Row locks have names that begin with `lock_`, but for that of a table, and are taken in this order, so that no two
transactions wait for each other; each is kept until the outermost transaction ends:

1. the table: `tables.play.store.hold`, for staff `_lock_table`
2. the player, who puts money into play, sets limits or asks for a deposit or withdrawal: `lock_person`
3. what staff decide, and only one of them: `_lock_adjustment`, `lock_request` (deposit, withdrawal), `_lock_identity`
4. accounts in the order of their ids: `_lock_accounts`, in the only writer of the books
"""
