"""Simulated matches: computer players, the pure engine, a virtual clock and all checks; no database, no network."""
