"""Real processes under the load of many tables, with honest players and others; `python -m tests.fleet load` runs
it."""
