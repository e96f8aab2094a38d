"""Django's PostgreSQL, with some connections of a process kept for play."""
