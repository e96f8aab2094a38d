"""Computer players through the pure engine, with a virtual clock and every check on: no database, no network."""
