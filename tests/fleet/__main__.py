"""`python -m tests.fleet NAME --seed S --size N`: run one harness, as long as one likes.

Prints the figures as one JSON line. Exit code 1 if it found faults, 2 for wrong arguments.
"""

import json
import os
import sys
from argparse import ArgumentParser
from importlib import import_module
from pkgutil import iter_modules

import tests.fleet


def harnesses() -> list[str]:
    """Return the modules and packages of this folder that can be run: those with a `run` and a SIZE."""
    names = (module.name for module in iter_modules(tests.fleet.__path__))
    return sorted(name for name in names if name not in HELPERS)


#: Modules and packages that are not harnesses: their helpers, and their short forms.
HELPERS = {
    *("__main__", "durability", "exported_files", "nemesis", "operations", "progress", "scale", "short", "sums"),
    *("tournaments", "traffic"),
}


def main() -> int:
    parser = ArgumentParser(prog="python -m tests.fleet")
    parser.add_argument("name", choices=harnesses())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, help="how many games, frames, kills ...; each harness has a default")
    parser.add_argument("--seconds", type=float, help="for how long, where the harness measures by the clock")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
    import django

    django.setup()
    harness = import_module(f"tests.fleet.{options.name}")
    if options.seconds is not None and not hasattr(harness, "SECONDS"):
        parser.error(f"{options.name} goes by its size alone")
    by_the_clock = {} if options.seconds is None else {"seconds": options.seconds}
    figures = harness.run(seed=options.seed, size=options.size or harness.SIZE, **by_the_clock)
    print(json.dumps({"harness": options.name, "seed": options.seed} | figures))
    if figures["faults"]:
        print(f"{len(figures['faults'])} faults found", file=sys.stderr)
    return 1 if figures["faults"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
