"""The commands of the rules as other programs use them."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from rules import commands
from tests.benchmarks import engine
from tests.support.commands import run
from tests.unit.rules.vectors import VECTORS

ROOT = Path(__file__).parents[3]
FULL = "3H 4H 5H | 7H 8H JR 10H | QD QS QC"


def answer(*arguments):
    return json.loads(run(*arguments, "--json"))


def lines(name):
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def test_judge_answers_for_one_arrangement():
    arguments = ("judge", "--book", "standard-points", "--cut", "KS", FULL, "--loose", "2C 2S 9D")
    assert run(*arguments, "--json") == '{"kinds":["pure","impure","set"],"valid":false,"points":13}\n'
    assert run(*arguments) == (
        "pure     3H 4H 5H\nimpure   7H 8H JR 10H\nset      QD QS QC\nNot a valid declaration; 13 points for a loser\n"
    )


def test_judge_says_why_a_group_is_no_meld():
    text = run("judge", "--book", "standard-points", "--cut", "KS", f"{FULL} | 2C 2S 2S")
    assert "invalid  2C 2S 2S  (A set needs different suits)" in text


def test_judge_answers_a_file_line_by_line():
    answers = [json.loads(line) for line in run("judge", "--file", str(VECTORS / "hands.jsonl")).splitlines()]
    assert answers == [{key: hand[key] for key in ("kinds", "valid", "points")} for hand in lines("hands.jsonl")]


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path, monkeypatch):
    hand = json.dumps(lines("hands.jsonl")[0])
    file = tmp_path / "saved.jsonl"
    file.write_text(hand, encoding="utf-8-sig")
    monkeypatch.setattr(sys, "stdin", StringIO(f"\ufeff{hand}"))
    expected = run("judge", "--file", str(VECTORS / "hands.jsonl")).splitlines()[:1]
    assert run("judge", "--file", str(file)).splitlines() == run("judge", "--file", "-").splitlines() == expected
    file.write_text("[]", encoding="utf-8-sig")
    with pytest.raises(CommandError, match="does not hold a proof"):
        run("verify_deal", "--proof", str(file))


def test_arrange_answers_a_file_as_well_as_published_and_judge_agrees(tmp_path):
    hands = lines("arrange.jsonl")
    arranged = [json.loads(line) for line in run("arrange", "--file", str(VECTORS / "arrange.jsonl")).splitlines()]
    assert [(a["points"], a["valid"]) for a in arranged] == [(hand["points"], hand["valid"]) for hand in hands]
    again = tmp_path / "again.jsonl"
    again.write_text("\n".join(json.dumps(hand | result) for hand, result in zip(hands, arranged, strict=True)))
    judged = [json.loads(line) for line in run("judge", "--file", str(again)).splitlines()]
    assert judged == [{key: result[key] for key in ("kinds", "valid", "points")} for result in arranged]


def test_arrange_finds_the_discard():
    result = answer("arrange", "--book", "standard-points", "--cut", "KS", "3H 4H 5H 7H 8H 9H QD QS QC 2C 2S 2D 2H 10C")
    assert result == {
        "groups": [["7H", "8H", "9H"], ["3H", "4H", "5H"], ["QC", "QD", "QS"], ["2C", "2D", "2H", "2S"]],
        "loose": [],
        "kinds": ["pure", "pure", "set", "set"],
        "points": 2,
        "valid": True,
        "discard": "10C",
    }


def test_deal_gives_the_published_orders():
    for vector in json.loads((VECTORS / "fairness.json").read_text()):
        inputs = ("--deal-id", str(vector["deal_id"]), "--seed", vector["seed"], "--packs", str(vector["packs"]))
        clients = ("--client", ",".join(vector["clients"])) if vector["clients"] else ()
        assert answer("deal", *inputs, *clients) == {key: vector[key] for key in ("commitment", "shoe", "toss")}


POOL = ("--limit", "201", "--drop", "25")


def test_split_answers_in_smallest_units():
    arguments = ("split", *POOL, "--fee", "100", "--prize", "800", "--started", "4", "--scores", "26,51")
    assert answer(*arguments) == {"drops": [6, 5], "manual": True, "auto": False, "shares": [450, 350]}
    assert run(*arguments) == "drops  6 5\nshares 450 350, if all agree\n"


def test_split_answers_null_where_there_is_none():
    result = answer("split", *POOL, "--fee", "100", "--prize", "200", "--started", "2", "--scores", "26,51")
    assert result == {"drops": [6, 5], "manual": False, "auto": False, "shares": None}


def test_rejoin_answers_with_a_reason():
    arguments = ("rejoin", *POOL, "--started", "3", "--scores", "210,120,90")
    assert answer(*arguments, "--player", "0") == {
        "allowed": True,
        "score": 121,
        "reason": "Back in the match with 121 points",
    }
    assert answer(*arguments, "--player", "1")["allowed"] is False


LOOSE = "2C 2S 9D"
JUDGE = ("judge", "--book", "standard-points", "--cut", "KS")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("judge", "--book", "nonsense", "--cut", "KS", FULL, "--loose", LOOSE), "no rule book 'nonsense'"),
        (("judge", "--book", "standard-points", "--cut", "1H", FULL, "--loose", LOOSE), "'1H' is not a card"),
        (("judge", "--book", "standard-points", FULL, "--loose", LOOSE), "cut is missing"),
        (("judge", "--cut", "KS", FULL, "--loose", LOOSE), "book is missing"),
        (("judge", "--book", "standard-points", "--cut", "KS"), "groups is missing"),
        ((*JUDGE, FULL), "a hand has 13 cards, not 10"),
        ((*JUDGE, FULL, "--loose", "2C 2S 7h"), "'7h' is not a card"),
        ((*JUDGE, f"{FULL} | ", "--loose", LOOSE), "a group without cards"),
        ((*JUDGE, FULL, "--loose", "3H 3H 9D"), "3H 3 times, but there are 2 packs"),
        ((*JUDGE, "3H1 3H1 4H1 | 7H 8H JR 10H | QD QS QC", "--loose", LOOSE), "3H1 2 times, but there is only one"),
        ((*JUDGE, FULL, "--loose", "2C KS KS"), "KS 3 times with the cut joker, but there are 2 packs"),
        (
            ("judge", "--book", "standard-points", "--cut", "2C2", FULL, "--loose", "2C2 2S 9D"),
            "2C2 2 times with the cut joker, but there is only one",
        ),
        (("judge", "--book", "standard-points", "--cut", "JR", FULL, "--loose", "2C JR 9D"), "JR 3 times with the cut"),
        ((*JUDGE, FULL, "--loose", "2C3 2S 9D"), "2C3 is of pack 3, but there are 2 packs"),
        (("judge", "--book", "standard-points", "--cut", "KS3", FULL, "--loose", LOOSE), "KS3 is of pack 3"),
        (("judge", FULL, "--file", "-"), "groups given beside --file"),
        (("judge", "--loose", LOOSE, "--file", "-"), "loose given beside --file"),
        (("judge", "--cut", "KS", "--file", "-"), "cut given beside --file"),
        (("arrange", LOOSE, "--file", "-"), "cards given beside --file"),
        (("judge", "--file", "/no/such/file"), "cannot read '/no/such/file': No such file"),
        (("judge", "--file", "/"), "cannot read '/': Is a directory"),
        (("arrange", "--book", "standard-points", "--cut", "KS", "3H 4H 5H"), "a hand has 13 or 14 cards, not 3"),
        (("deal", "--deal-id", "1", "--seed", "xy", "--packs", "2"), "no hexadecimal bytes: 'xy'"),
        (("deal", "--deal-id", "1", "--seed", "ab", "--packs", "4"), "invalid choice"),
        (("split", *POOL, "--fee", "1", "--prize", "-8", "--started", "3", "--scores", "1,2"), "not a whole number"),
        (("split", *POOL, "--fee", "1", "--prize", "8", "--started", "3", "--scores", "1,,2"), "not a whole number"),
        (("split", *POOL, "--fee", "1", "--prize", "8", "--started", "2", "--scores", "1,2,3"), "3 scores of 2"),
        (
            ("split", *POOL, "--fee", "1", "--prize", "8", "--started", "4", "--scores", "1,201"),
            "a score of 201 is out",
        ),
        (("split", *POOL, "--fee", "1", "--prize", "8", "--started", "7", "--scores", "1,2"), "at most 6 seats"),
        (("split", *POOL, "--fee", "1", "--prize", "8" * 19, "--started", "3", "--scores", "1,2"), "more than 18 dig"),
        (("rejoin", *POOL, "--started", "7", "--scores", "210,1,2", "--player", "0"), "at most 6 seats"),
        (("rejoin", "--limit", "201", "--drop", "0", "--started", "2", "--scores", "1", "--player", "0"), "at least 1"),
        (("rejoin", *POOL, "--started", "3", "--scores", "210,1,2", "--player", "3"), "no player 3"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(CommandError, match=message) as refusal:
        run(*arguments)
    assert refusal.value.returncode == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a JSON object"),
        ("{}", "book is missing"),
        ('{"book": ["standard-points"]}', "book is not as it should be"),
        ('{"book": "standard-points", "cut": 7}', "cut is not as it should be"),
        ('{"book": "standard-points", "cut": "KS", "groups": {}}', "groups is not as it should be"),
        ('{"book": "standard-points", "cut": "KS", "groups": [7]}', "no list of cards: 7"),
        ('{"book": "standard-points", "cut": "KS", "groups": [["3H", null]]}', "no list of cards"),
        ('{"book": "standard-points", "cut": "KS", "groups": [["3H", "XX"]]}', "'XX' is not a card"),
    ],
)
def test_a_bad_line_of_a_file_is_named(tmp_path, line, message):
    file = tmp_path / "hands.jsonl"
    file.write_text((VECTORS / "hands.jsonl").read_text().splitlines()[0] + f"\n\n{line}\n")
    with pytest.raises(CommandError, match=f"^line 3: .*{message}"):
        run("judge", "--file", str(file))


LONG = "8x" * 2_000


@pytest.mark.parametrize(
    "arguments",
    [
        ("judge", "--book", LONG, "--cut", "KS", FULL),
        ("judge", "--book", "standard-points", "--cut", LONG, FULL),
        (*JUDGE, LONG),
        (*JUDGE, FULL, LONG),
        (*JUDGE, FULL, *LONG),
        (*JUDGE, FULL, f"--{LONG}"),
        ("judge", "--file", LONG),
        ("arrange", "--book", "standard-points", "--cut", "KS", LONG),
        ("split", *POOL, "--fee", LONG, "--prize", "8", "--started", "3", "--scores", "1,2"),
        ("split", *POOL, "--fee", "1", "--prize", "8", "--started", "3", "--scores", f"1,{LONG}"),
        ("rejoin", *POOL, "--started", "3", "--scores", "210,1,2", "--player", LONG),
        ("rejoin", *POOL, "--started", "3", "--scores", "210,1,2", "--player", "8" * 4_000),
        ("deal", "--deal-id", "1", "--seed", LONG, "--packs", "2"),
        ("deal", "--deal-id", "1", "--seed", "ab", "--packs", LONG),
        ("deal", "--deal-id", "1", "--seed", "ab", "--client", LONG, "--packs", "2"),
        ("bench", LONG),
        ("bench", "rules", "--tables", "2"),
        ("bench", "load", "--seconds", "0"),
        ("bench", "load", "--seats", "7"),
        ("bench", "load", "--database", f"postgres://127.0.0.1:1/{LONG}"),
        ("bench", "load", "--webs", "2"),
        ("bench", "load", "--mode", "recover"),
        ("bench", "load", "--redis", f"redis://127.0.0.1:1/{LONG}"),
        ("deal", "--deal-id", "1\udcff", "--seed", "ab", "--packs", "2"),
        ("cancel_match", "1", "--reason", "\udcff"),
        ("play", "--port", LONG),
        ("serve", "--port", "0"),
        ("reseal", LONG),
        ("database_role", "web", LONG),
        ("audit_ledger", LONG),
        ("verify_deal", LONG),
        ("verify_deal", "8" * 4_000),
        ("verify_deal", "--proof", LONG),
        ("cancel_match", LONG, "--reason", "none"),
        ("cancel_match", "8" * 4_000, "--reason", "none"),
        ("simulate", "--book", LONG, "--players", "2", "--matches", "1", "--seed", "1"),
        ("simulate", "--book", "standard-points", "--players", LONG, "--matches", "1", "--seed", "1"),
        ("export_ledger", "--from", LONG, "--to", "2026-11-02", "--format", "csv", "--out", "file"),
        ("export_ledger", "--from", "2026-11-01", "--to", "2026-11-02", "--format", "csv", "--out", "file", LONG),
    ],
    ids=lambda arguments: " ".join(arguments)[:60],
)
def test_a_refusal_is_one_line_and_repeats_no_more_than_80_characters(arguments):
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    message = str(refusal.value)
    assert refusal.value.returncode == 2
    assert "\n" not in message
    assert sum(map(message.count, ("8", "x"))) <= 80
    assert len(message) < 300


@pytest.mark.parametrize(
    "line", [{"book": [LONG]}, {"book": LONG}, {"book": "standard-points", "cut": "KS", "groups": [{LONG: 1}]}]
)
def test_a_refusal_of_a_line_of_a_file_is_as_short(tmp_path, line):
    file = tmp_path / "hands.jsonl"
    file.write_text(json.dumps(line))
    with pytest.raises(CommandError, match=r"^line 1: ") as refusal:
        run("judge", "--file", str(file))
    assert len(str(refusal.value)) < 140


def python(*arguments, stdin=""):
    return subprocess.run([sys.executable, *arguments], input=stdin, capture_output=True, text=True, cwd=ROOT)


def manage(*arguments, stdin=""):
    return python(str(ROOT / "manage.py"), *arguments, stdin=stdin)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("judge", "--file", "-"), "line 2: not JSON\n"),
        (("split", "--limit", "many"), "argument --limit: 'many' is not a whole number\n"),
        (("ladder", "--deals", "many"), "argument --deals: invalid int value: 'many'\n"),
        (("ladder", "--deals", "1", "--seed", "1"), "Nobody plays: name --players, or an --external program.\n"),
    ],
)
def test_bad_input_is_one_line_on_stderr_and_exit_2(arguments, message):
    first = (VECTORS / "hands.jsonl").read_text().splitlines()[0]
    result = manage(*arguments, stdin=f"{first}\nnonsense\n")
    assert (result.returncode, result.stdout, result.stderr) == (2, "", message)


def test_lines_come_from_standard_input_and_answers_go_to_standard_output():
    hands = (VECTORS / "arrange.jsonl").read_text().splitlines()[:3]
    result = manage("arrange", "--file", "-", stdin="\n".join(hands))
    assert (result.returncode, result.stderr) == (0, "")
    points = [json.loads(line)["points"] for line in result.stdout.splitlines()]
    assert points == [json.loads(hand)["points"] for hand in hands]


EXAMPLES = [
    (*JUDGE, FULL, "--loose", LOOSE),
    ("arrange", "--book", "lives-points", "--cut", "KS", "3H 4H 5H 7H 8H 9H QD QS QC 2C 2S 2D 2H"),
    ("split", *POOL, "--fee", "100", "--prize", "800", "--started", "4", "--scores", "26,51"),
    ("rejoin", *POOL, "--started", "3", "--scores", "210,120,90", "--player", "0"),
    ("deal", "--deal-id", "1", "--seed", "ab", "--packs", "2"),
]
#: Runs a command, then prints which rooms and packages it has loaded.
LOADED = """
import sys
from contextlib import redirect_stdout
from io import StringIO
import manage
with redirect_stdout(StringIO()):
    try:
        manage.main()
    except SystemExit as end:
        assert end.code == 0, end.code
print(*sorted({name.split(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)))
"""


@pytest.mark.parametrize("arguments", EXAMPLES, ids=lambda arguments: arguments[0])
def test_a_command_of_the_rules_loads_the_rules_only(arguments):
    loaded = python("-S", "-c", LOADED, *arguments)
    assert (loaded.stderr, loaded.returncode) == ("", 0)
    assert set(loaded.stdout.split()) - {"__main__", "manage", "config"} == {"rules"}


def test_every_command_of_the_rules_is_among_the_examples_and_says_how_it_is_asked():
    assert {arguments[0] for arguments in EXAMPLES} == set(commands.NAMES)
    for name in commands.NAMES:
        told = [python("-S", "manage.py", *asked) for asked in ((name, "--help"), ("help", name))]
        assert told[0].stdout == told[1].stdout and told[0].returncode == 0
        assert told[0].stdout.startswith(f"usage: manage.py {name} [-h] [--json]")


@pytest.mark.slow
def test_the_list_of_all_commands_names_those_of_the_rules():
    told = manage("help").stdout
    assert "[tables]" in told and all(f"\n    {name}\n" in told for name in (*commands.NAMES, "verify_deal"))


def test_a_benchmark_of_one_move_measures_one_by_every_book(monkeypatch):
    steps = engine._steps(engine.book("standard-points"), 1)
    monkeypatch.setattr(engine, "_steps", lambda _, count: steps[:count])
    measured = engine.measure(1)
    assert [each["count"] for each in measured["more"][-len(engine.BOOKS) :]] == [1] * len(engine.BOOKS)
