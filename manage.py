#!/usr/bin/env python
"""The one entry to the platform. Needs nothing but Python 3.11: sets up its own environment on first use."""

import gc
import os
import sys
from pathlib import Path

from config.bootstrap import ensure_environment
from config.process import exits, listening
from rules import commands


def main() -> None:
    if asked := rules_command(sys.argv[1:]):
        raise SystemExit(commands.main(asked))
    if sys.argv[1:2] in (["serve"], ["play"]):
        # To search what is being loaded for garbage was a fifth of its start; it begins the search itself.
        gc.disable()
    ensure_environment(sys.argv)
    if sys.argv[1:2] == ["serve"]:
        listening.start_listening(sys.argv[2:])
    if sys.argv[1:2] == ["test"]:
        from tests.doors import run

        raise SystemExit(run(sys.argv[2:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
    name_data_folder(sys.argv)
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
    if sys.argv[1:] in ([], ["help"], ["--help"], ["-h"]):
        sys.stdout.write("\n    ".join(["\n[rules]", *commands.NAMES]) + "\n")


def rules_command(arguments: list[str]) -> list[str]:
    """Return the command of the rules that is asked for, which needs no environment; an empty list for all others."""
    if arguments[:1] == ["help"] and arguments[1:2]:
        arguments = [arguments[1], "--help"]
    return arguments if arguments and arguments[0] in commands.NAMES else []


def name_data_folder(arguments: list[str]) -> None:
    """Let `play --data DIR` name the folder before the settings read it: loading them twice takes a second."""
    if arguments[1:2] == ["play"] and "--data" in arguments[:-1]:
        os.environ["RUMMY_DATA"] = str(Path(arguments[arguments.index("--data") + 1]).resolve())


if __name__ == "__main__":
    with exits.in_one_sentence():
        main()
