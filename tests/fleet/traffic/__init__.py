"""Real processes under the load of many tables, with honest players and others, for `python -m tests.fleet load`."""
