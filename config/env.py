"""The only reader of the process environment."""

import os
from pathlib import Path


def text(name: str, default: str = "") -> str:
    """Return the variable's text, or `default` where it is unset or empty."""
    return os.environ.get(name, "") or default


def flag(name: str, default: bool = False) -> bool:
    """Read 1, true, yes, on as True; 0, false, no, off as False; anything else is a ValueError."""
    value = os.environ.get(name, "").strip().lower()
    if not value:
        return default
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise ValueError(f"{name} must be a yes or a no, not {value!r}")


def integer(name: str, default: int) -> int:
    """Return the variable as a whole number; ValueError names the variable that is not one."""
    value = os.environ.get(name, "").strip()
    try:
        return int(value) if value else default
    except ValueError as error:
        raise ValueError(f"{name} must be a whole number, not {value!r}") from error


def folder(named: str) -> Path:
    """Make the directory with that path if need be, and return it.

    ValueError where there is something else, OSError where none can be made.
    """
    path = Path(named).expanduser().resolve()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise ValueError(f"{path} is a file, or lies in one: name a folder for the data") from error
    return path


def variables(beginning: str) -> set[str]:
    """Return the names of all variables that begin so, set to something."""
    return {name for name, value in os.environ.items() if name.startswith(beginning) and value}


def of_a_child(changes: dict[str, str]) -> dict[str, str]:
    """Return the environment of a child process: this one's, with `changes`."""
    return {**os.environ, **changes}
