"""`python -m tests.javascript style`: run the named checks of the pages' scripts; exit 1 where one finds a fault."""

import subprocess
import sys

from tests.javascript import HERE, commands


def main(names: list[str]) -> int:
    failed = [name for name in names if subprocess.run(commands()[name], cwd=HERE).returncode]
    return 1 if failed else 0


raise SystemExit(main(sys.argv[1:]))
