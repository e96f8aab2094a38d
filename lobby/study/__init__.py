"""The home of everything to study: one card for each kind, which leads to its own room."""
