"""`python -m tests.catalogue`: bring the catalogues in `config/locale` up to date with the texts of the product.

Texts are found where they are marked: `{% translate %}` and `{% blocktranslate %}` in templates, `_`,
`message` and `translatable` in Python, `t` in the pages' scripts. What is new stands empty in a catalogue until
somebody translates it; what is gone goes.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polib
from django.utils.translation import trim_whitespace

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "config" / "locale"
PYTHON = ("rules", "wallet", "tables", "lobby", "config")
#: In Python, what marks its first argument, and what marks all texts inside its argument.
MARKS, TABLES = {"_", "gettext_lazy", "message"}, {"translatable"}
#: The pages of programmers and staff stay English.
ENGLISH = re.compile(
    r"templates/(admin|staff|finance|drf_spectacular|transparency)/|templates/tables/socket.html"
    r"|templates/registration/(enrol|recovery|code).html|static/js/staff/|static/vendor/"
)


@dataclass(frozen=True, order=True)
class Text:
    """One text, its plural where it has one, and the file where it was found first."""

    text: str
    plural: str = ""


#: What Django says in its own forms and dates: its Hindi is old or misspelt, or there is none.
OF_DJANGO = (
    "Enter a number.", "Enter a valid date.", "Enter a valid email address.", "Enter a valid value.",
    "Enter a whole number.",
    "Ensure this value is greater than or equal to %(limit_value)s.",
    "Ensure this value is less than or equal to %(limit_value)s.",
    "Enter the same password as before, for verification.", "New password", "New password confirmation",
    "Old password", "Password", "Select a valid choice. %(value)s is not one of the available choices.",
    "Select a valid choice. That choice is not one of the available choices.",
    "The password is too similar to the %(verbose_name)s.", "The two password fields didn’t match.",
    "This field is required.", "This password is entirely numeric.", "This password is too common.",
    "Your old password was entered incorrectly. Please enter it again.",
    "Your password can’t be a commonly used password.",
    "Your password can’t be too similar to your other personal information.",
    "Monday", "September", "November", "December", "mar", "dec",
)  # fmt: skip
COUNTED_BY_DJANGO = (
    ("Your password must contain at least %(min_length)d character.",
     "Your password must contain at least %(min_length)d characters."),
    ("This password is too short. It must contain at least %(min_length)d character.",
     "This password is too short. It must contain at least %(min_length)d characters."),
    ("Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
     "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d)."),
    ("Ensure this value has at least %(limit_value)d character (it has %(show_value)d).",
     "Ensure this value has at least %(limit_value)d characters (it has %(show_value)d)."),
    ("Ensure that there are no more than %(max)s decimal place.",
     "Ensure that there are no more than %(max)s decimal places."),
    ("Ensure that there are no more than %(max)s digit in total.",
     "Ensure that there are no more than %(max)s digits in total."),
)  # fmt: skip


def texts_of_server() -> dict[Text, str]:
    """Return the texts of templates and Python, each with the file in which it stands."""
    found = {Text(text): "django" for text in OF_DJANGO} | {Text(*each): "django" for each in COUNTED_BY_DJANGO}
    for path in _files("templates", "*.html"):
        for text in in_template(path.read_text()):
            found.setdefault(text, str(path.relative_to(ROOT)))
    for room in PYTHON:
        for path in _files(room, "*.py"):
            for text in in_python(path.read_text()):
                found.setdefault(Text(text), str(path.relative_to(ROOT)))
    return found


def texts_of_scripts() -> dict[Text, str]:
    """Return the texts of the pages' scripts, each with the file in which it stands."""
    found: dict[Text, str] = {}
    for path in _files("static/js", "*.js"):
        for text in in_script(path.read_text()):
            found.setdefault(Text(text), str(path.relative_to(ROOT)))
    return found


def _files(folder: str, pattern: str) -> list[Path]:
    paths = sorted((ROOT / folder).rglob(pattern))
    return [path for path in paths if not ENGLISH.search(str(path.relative_to(ROOT)))]


_TRANSLATE = re.compile(r"""{%\s*translate\s+(?:"([^"]*)"|'([^']*)')\s*(?:as\s+\w+\s*)?%}""")
_BLOCK = re.compile(
    r"{%\s*blocktranslate([^%]*?)%}(.*?)(?:{%\s*plural\s*%}(.*?))?{%\s*endblocktranslate\s*%}", re.DOTALL
)
_VALUE = re.compile(r"{{\s*(\w+)\s*}}")


def in_template(source: str) -> Iterator[Text]:
    """Yield the texts of a template as Django looks them up."""
    for double, single in _TRANSLATE.findall(source):
        yield Text((double or single).replace("%", "%%"))
    for options, text, plural in _BLOCK.findall(source):
        read = trim_whitespace if "trimmed" in options else str
        yield Text(_as_looked_up(read(text)), _as_looked_up(read(plural)))


def _as_looked_up(text: str) -> str:
    return _VALUE.sub(r"%(\1)s", text.replace("%", "%%"))


def in_python(source: str) -> Iterator[str]:
    """Yield the texts that are marked in a module."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
            continue
        if node.func.id in MARKS:
            yield from _constants(node.args[0], deep=False)
        elif node.func.id in TABLES:
            yield from _constants(node.args[0], deep=True)


def _constants(node: ast.expr, *, deep: bool) -> Iterator[str]:
    if isinstance(node, ast.Dict):
        for value in node.values:
            yield from _constants(value, deep=deep)
    elif isinstance(node, ast.IfExp):
        yield from _constants(node.body, deep=deep)
        yield from _constants(node.orelse, deep=deep)
    elif deep and isinstance(node, ast.Tuple | ast.List):
        for item in node.elts:
            yield from _constants(item, deep=deep)
    elif deep and isinstance(node, ast.BinOp):
        yield from _constants(node.left, deep=deep)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value


_SCRIPT = re.compile(r"""\b(?:t|say)\(\s*"((?:[^"\\]|\\.)*)\"""")


def in_script(source: str) -> Iterator[str]:
    """Yield the texts that are marked in a script."""
    for text in _SCRIPT.findall(source):
        if text:
            yield text.replace('\\"', '"')


DOMAINS = {"django": texts_of_server, "djangojs": texts_of_scripts}


def main() -> int:
    """Update every catalogue and compile it; say what has no translation yet."""
    missing = 0
    for folder in sorted(LOCALE.glob("*/LC_MESSAGES")):
        for domain, texts in DOMAINS.items():
            source = folder / f"{domain}.po"
            catalogue = updated(source, texts())
            catalogue.save(str(source))
            source.with_suffix(".mo").write_bytes(catalogue.to_binary())
            untold = len(catalogue.untranslated_entries())
            missing += untold
            print(f"{folder.parent.name} {domain}: {len(catalogue)} texts, {untold} without a translation")
    return 1 if missing else 0


def updated(source: Path, files: dict[Text, str]) -> polib.POFile:
    """Return the catalogue with these texts, file by file, each as the source translates it."""
    known = {text_of(entry): entry for entry in polib.pofile(str(source))} if source.exists() else {}
    catalogue = polib.POFile(wrapwidth=0)
    catalogue.metadata = {
        "Language": source.parent.parent.name,
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": "nplurals=2; plural=(n > 1);",
    }
    for text in sorted(files, key=lambda text: (files[text], text)):
        entry = known.get(text) or _untold(text)
        entry.occurrences = [(files[text], "")]
        catalogue.append(entry)
    return catalogue


def text_of(entry: polib.POEntry) -> Text:
    """Return the text that the entry of a catalogue translates."""
    return Text(entry.msgid, entry.msgid_plural)


def _untold(text: Text) -> polib.POEntry:
    if text.plural:
        return polib.POEntry(msgid=text.text, msgid_plural=text.plural, msgstr_plural={0: "", 1: ""})
    return polib.POEntry(msgid=text.text)


if __name__ == "__main__":
    raise SystemExit(main())
