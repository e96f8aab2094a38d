#!/usr/bin/env python
"""The one entry to the platform. Needs nothing but Python 3.11: sets up its own environment on first use."""

import os
import sys

from config.bootstrap import ensure_environment


def main() -> None:
    ensure_environment(sys.argv)
    if sys.argv[1:2] == ["test"]:
        from tests.doors import run

        raise SystemExit(run(sys.argv[2:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
