"""The commands of the rules, as other programs use them: they need Python and this package, and start at once.

Output is text or exact JSON; bad input gets one line on standard error and exit 2.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

NAMES: Final = ("arrange", "deal", "judge", "rejoin", "split")


def main(arguments: Sequence[str]) -> int:
    """Run the command `arguments[0]`, one of NAMES, with the arguments behind it; return its exit code."""
    # Only here, since manage.py asks for the names before every other command.
    from rules.commands import hands, pools, shoes
    from rules.commands.base import BadQuestion, RulesCommand

    commands: dict[str, type[RulesCommand]] = {
        "arrange": hands.ArrangeCommand,
        "deal": shoes.DealCommand,
        "judge": hands.JudgeCommand,
        "rejoin": pools.RejoinCommand,
        "split": pools.SplitCommand,
    }
    name, *others = arguments
    try:
        for line in commands[name]().run(name, others):
            sys.stdout.write(f"{line}\n")
    except BadQuestion as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0
