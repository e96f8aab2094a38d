"""Real processes under the load of many tables, with honest players and others; `manage.py faults load` runs it."""
