"""Exit statuses of a process that cannot start, each printed with one sentence that says what is wrong and what to do.

Imports nothing, since the settings use it while they are read. Status 3 means that .venv could not be set up.
"""

#: An option or an environment variable is wrong.
SETTING = 2
#: The port is in use, or may not be used.
PORT = 4
#: The database is damaged.
DATABASE = 5
#: The disk is full or cannot be written.
DISK = 6
