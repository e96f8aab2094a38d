"""The keys of an installation: sealing with them, the record of known keys, and changing a key."""
