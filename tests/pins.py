"""Names pinned packages that are more than six months old: `python3 -m tests.pins`. It asks no network.

The day on which a version was uploaded stands behind its pin in pyproject.toml, and the reason why it stays, if it is
an old one: mostly that there is no newer one.
"""

import re
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
#: How old a version may become until somebody has looked for a newer one (config/deploy/README.md).
OLDEST = timedelta(days=183)
_PIN = re.compile(
    r'^\s*"(?P<pin>[A-Za-z0-9._-]+(\[[^\]]*\])?==[^"]+)",(  # (?P<day>\d{4}-\d\d-\d\d)(: (?P<why>.+))?)?$'
)


def faults(pyproject: str, today: date) -> list[str]:
    """Return a sentence for each pin without the day of its upload, and for each old one without a reason."""
    found = []
    for line in pyproject.splitlines():
        if (pin := _PIN.match(line)) is None:
            continue
        if pin["day"] is None:
            found.append(f"{pin['pin']}: the day of its upload is missing behind it")
        elif today - date.fromisoformat(pin["day"]) > OLDEST and not pin["why"]:
            found.append(f"{pin['pin']} is of {pin['day']}: take a newer one, or say behind it why it stays")
    return found


def day_of_checkout() -> date:
    """Return the day of the last commit, so that what passed passes on whatever day it is tried again.

    Today where there is no git, or no repository.
    """
    try:
        told = subprocess.run(
            ["git", "log", "-1", "--format=%cs"], cwd=PYPROJECT.parent, capture_output=True, text=True
        )
    except OSError:
        return date.today()
    return date.fromisoformat(told.stdout.strip()) if told.stdout.strip() else date.today()


def main() -> int:
    """Print what is wrong; return 1 if anything is."""
    found = faults(PYPROJECT.read_text(), day_of_checkout())
    print("\n".join(found) or "No pin is old without a reason.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
