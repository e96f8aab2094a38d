"""Helpers that every Django app of the project may use.

Functions that lock rows have names that begin with "lock". Locks are taken in this order, so that no two
transactions wait for each other, and are held until the outermost transaction ends:

1. the stake, for which a table is opened: `lobby.stakes.services.lock_stake`; the template of a tournament, then the
   tournament: `tables.tournaments.moments.lock_tournament`; a duplicate match: `lobby.daily.services.lock_series`
2. the table: `tables.play.store.lock_table`, for staff `_lock_row`; several, in the order of their ids and without
   waiting for any: `tables.play.fast.commit.write`
3. the entrants at a table, in the order of their ids: `tables.play.entrants`
4. the player who puts chips into play or sets limits: `lock_player_row`; with the others of a table for friends, in the
   order of their ids: `tables.private_bounds.lock_company`
5. the row that staff decide about, one in a transaction: `wallet.backoffice.requests`
6. accounts in the order of their ids: `lock_all` of the ledger; before them the account whose limit of adjustments is
   read: `_lock_account`; of an account of the house any sub-account that is not locked, without waiting

The others are the only locks of their transactions: `_lock_heartbeat`, `lock_account` and `_lock_reporter` of the
lobby, `_lock_report`, `_lock_authenticator`, `_lock_freezes`, `lock_keys`, `_lock_free_rows`; the one row
that says how far something is counted (`CountedUntil`, `RatedUntil`, `SummedUntil`); `lock_names`, which comes after
the player; and `lock_solver`, which comes before the puzzle or the run that is answered.
`lock_player` locks no row: it locks a player out of their account.
"""
