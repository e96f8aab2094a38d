"""The pages' scripts: their style, their types, and the tests of those that need no page."""

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path

from tests.checks import Check

HERE = Path(__file__).resolve().parent
TOOLS = HERE / "node_modules"
#: Seconds that a registry may take to hand out the tools.
PATIENCE = 120


def checks() -> list[Check]:
    """Return the checks of the scripts; those that need tools from npm say what this machine lacks for them."""
    lacks = _set_up()
    return [
        Check("style and types of the scripts", ["-m", "tests.javascript", "style", "types"], lacks=lacks),
        Check("unit tests of the scripts", ["-m", "tests.javascript", "units"], lacks="" if node() else "no Node.js"),
    ]


def commands() -> dict[str, list[str]]:
    """Return each check's command, to be run in this folder."""
    units = sorted(str(path.relative_to(HERE)) for path in HERE.glob("units/*.test.js"))
    return {
        "style": [node(), str(TOOLS / ".bin/biome"), "ci", "--colors=off", ".", "../../static/js", "../../static/css"],
        "types": [node(), str(TOOLS / ".bin/tsc"), "--pretty", "false"],
        "units": [node(), "--test", "--test-reporter=dot", *units],
    }


def node() -> str:
    """Return the Node.js that comes with Playwright, or else this machine's; empty where neither is."""
    playwright = importlib.util.find_spec("playwright")
    brought = Path(playwright.origin).parent / "driver/node" if playwright and playwright.origin else None
    return str(brought) if brought and brought.exists() else (shutil.which("node") or "")


def _set_up() -> str:
    """Fetch the tools where they are missing, or not the pinned ones; return what stands in the way."""
    if is_set_up():
        return ""
    npm = shutil.which("npm")
    if not npm:
        return "no npm to fetch their tools with"
    print("Fetching the tools for the scripts (npm)…", flush=True)
    try:
        fetched = subprocess.run([npm, "install"], cwd=HERE, timeout=PATIENCE, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return f"npm did not fetch their tools within {PATIENCE} s"
    return (
        "" if fetched.returncode == 0 and is_set_up() else f"npm could not fetch their tools: {_last(fetched.stderr)}"
    )


def is_set_up() -> bool:
    """Return whether the tools are here, each in its pinned version."""
    pinned: dict[str, str] = json.loads((HERE / "package.json").read_text())["devDependencies"]
    return all(_version(name) == version for name, version in pinned.items())


def _version(package: str) -> str | None:
    manifest = TOOLS / package / "package.json"
    return str(json.loads(manifest.read_text())["version"]) if manifest.exists() else None


def _last(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it said nothing"
