"""`python -m rules.bots STRENGTH`: a JSON view a line on standard input, the frame of a computer player a line back.

The answer is null where it has nothing to do. It ends with its input.
"""

from __future__ import annotations

import json
import sys

from rules.bots import Strength, choose


def main(strength: Strength) -> None:
    for line in sys.stdin:
        sys.stdout.write(json.dumps(choose(json.loads(line), strength)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Strength(sys.argv[1]))
