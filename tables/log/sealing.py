"""Encryption of live decks, hands and seeds, so that nobody can read them in the database, a dump or a backup."""

from wallet.keys.encryption import Cipher, SealedColumn

CIPHER = Cipher("sealed state")

SNAPSHOTS = SealedColumn("tables.Table", "snapshot", CIPHER, "pk", "snapshot_version")
#: A time that nobody can change without the key: the audit holds the times of rows against it.
EVENTS = SealedColumn("tables.LoggedEvent", "payload", CIPHER, "table_id", "version", "number", "at_ms")
PACKS = SealedColumn("tables.Pack", "content", CIPHER, "table_id", "first_version", "last_version")
SEEDS = SealedColumn("tables.Deal", "sealed_seed", CIPHER, "match_id", "number")
SHOES = SealedColumn("tables.Shoe", "sealed_seed", CIPHER, "label")
DRAWS = SealedColumn("tables.Round", "sealed_seed", CIPHER, "tournament_id", "number")
