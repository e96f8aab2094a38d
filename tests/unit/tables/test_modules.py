"""The preload links of a page name all modules that its scripts import."""

import posixpath
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.templatetags.static import static

from tables.templatetags.tables_pages import modules, needed

#: Written otherwise than in the tag: whatever stands between quotes and ends like a module's path, outside comments.
QUOTED = re.compile(r'from "([^"]+\.js)"|^import "([^"]+\.js)"', re.MULTILINE)
COMMENTS = re.compile(r"/\*.*?\*/", re.DOTALL)


def path_of(address: str) -> str:
    return address.split("/", 3)[3]


@pytest.mark.parametrize("page", ["js/table/main.js", "js/lobby/main.js", "js/deal/main.js"])
def test_imports_of_a_linked_module_are_linked_too(page: str) -> None:
    linked = [page, *map(path_of, needed(static(page), page))]
    assert len(linked) == len(set(linked)) > 5
    for name in linked:
        text = Path(str(finders.find(name))).read_text()
        named = {
            posixpath.normpath(posixpath.join(posixpath.dirname(name), *found))
            for found in QUOTED.findall(COMMENTS.sub("", text))
        }
        assert named <= set(linked), name


def test_a_circle_of_imports_ends_and_each_is_linked_once(tmp_path: Path, settings: Any) -> None:
    settings.STATICFILES_DIRS = [tmp_path]
    finders.get_finder.cache_clear()
    (tmp_path / "a.js").write_text('import {\n  b,\n} from "./b.js";\nimport "./c.js";\n// import "./no.js"\n')
    (tmp_path / "b.js").write_text('export { a } from "./a.js";\n/** @type {import("./no.js").T} */\n')
    (tmp_path / "c.js").write_text("")
    try:
        text = modules("a.js")
    finally:
        finders.get_finder.cache_clear()
    assert re.findall(r"(\w+)\.js", text) == ["b", "c", "a"]
