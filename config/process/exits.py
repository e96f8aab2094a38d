"""With which status a process ends that cannot start, beside one sentence that says what is wrong and what to do.

Pure: the settings ask while they are being read. 3 says that the environment in .venv could not be set up.
"""

#: An option or a variable cannot be followed.
SETTING = 2
#: Somebody else listens where this process should, or nobody may.
PORT = 4
#: The database is damaged.
DATABASE = 5
#: The disk is full, or takes nothing.
DISK = 6
