"""PostgreSQL's own programs, and databases that are migrated once for all processes of a run."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.support import once

#: Seconds after which a program hangs: on a busy machine one that computes for a quarter of a minute takes two.
PATIENCE = 240


def program(name: str) -> str:
    """Return the path of one of PostgreSQL's programs, in the newest version installed."""
    programs = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(programs[-1]) if programs else shutil.which(name) or name


def migrate_once(address: str, migrate: Callable[[], object]) -> None:
    """Migrate the empty database at the address, or copy one that was migrated before in this run."""
    with once.shared("postgresql") as folder:
        dump = folder / "migrated.sql"
        if dump.exists():
            quietly = ["-q", "-v", "ON_ERROR_STOP=1", "-o", os.devnull]
            subprocess.run([program("psql"), *quietly, "-f", dump, address], check=True, timeout=PATIENCE)
            return
        migrate()
        whole = dump.with_suffix(".whole")
        subprocess.run([program("pg_dump"), "-O", "-f", whole, address], check=True, timeout=PATIENCE)
        whole.rename(dump)
