"""What a file may look like, and how it is refused: always with the first line that cannot be."""

import re
from random import Random

import pytest

from rules.notation import MOST_BYTES, MOST_MOVES, NotationError, read, replay, write
from tests.support.worked import FOLDER

TEXTS = {file.stem: file.read_text() for file in sorted(FOLDER.glob("*.rdn"))}
POINTS = TEXTS["points-show"]
LINES = POINTS.splitlines()


def refused(text: str | bytes) -> NotationError:
    """Return how the file is refused, by the reader or while it is played."""
    with pytest.raises(NotationError) as error:
        for _ in replay(read(text)):
            pass
    return error.value


def line_of(start: str) -> int:
    return next(number for number, line in enumerate(LINES, start=1) if line.startswith(start))


def changed(start: str, new: str) -> str:
    """Return the file with another text for the first line that starts so."""
    return "\n".join(new if number == line_of(start) else line for number, line in enumerate(LINES, start=1)) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + POINTS,
        POINTS.replace("\n", "\r\n"),
        POINTS.replace("\n", " \t\n"),
        "\n\n" + POINTS + "\n\n",
        "# a deal\n" + POINTS.replace("\n\n", "  # two seeds\n\n\n# play\n"),
        re.sub(r"^\d.*", lambda move: move[0].replace(" ", "\t"), POINTS, flags=re.MULTILINE),
        POINTS.replace(" @", "  # once @"),
        POINTS.replace('[Client0 "', '[Client0 "').replace("Z", "+00:00"),
        POINTS.replace("[Packs", '[Player2 "-"]\n[Packs'),
        re.sub(r'(\[Result ")(\S+) (\S+)"', r'\1\3 \2"', POINTS),
    ],
    ids=["mark", "crlf", "blanks", "lines", "comments", "tabs", "rests", "offset", "seats", "result"],
)
def test_what_is_read_over_changes_nothing(text: str) -> None:
    notation = read(text)
    for _ in replay(notation):
        pass
    assert [move.card for move in notation.moves] == [move.card for move in read(POINTS).moves]
    if "+00:00" not in text and "once" not in text:
        assert write(notation) == POINTS


def test_text_and_bytes_are_the_same() -> None:
    assert read(POINTS) == read(POINTS.encode())


def test_a_name_may_hold_any_sign() -> None:
    name = 'आशा "A" \\ # ]'
    text = changed("[Player0", '[Player0 "आशा \\"A\\" \\\\ # ]"]')
    assert read(text).players[0] == name and write(read(text)) == text


@pytest.mark.parametrize(
    ("start", "new", "reason"),
    [
        ("[RDN", '[RDN "2"]', "Only version 1"),
        ("[RDN", '[rdn "1"]', "no header 'rdn'"),
        ("[Book", '[Book "standard-points"]', "a version"),
        ("[Book", '[Book "standard-points/7"]', "no rule book"),
        ("[Book", '[Book "whist/1"]', "no rule book"),
        ("[Deal", '[Deal ""]', "1 to 80"),
        ("[Deal", '[Deal "day/451"]', "no slash"),
        ("[Date", '[Date "2026-02-30T10:00:00Z"]', "no time in UTC"),
        ("[Date", '[Date "2026-11-26T10:00:00+05:30"]', "no time in UTC"),
        ("[Date", '[Date "26.11.2026"]', "no time in UTC"),
        ("[Seats", '[Seats "7"]', "from 2 to 6"),
        ("[Seats", '[Seats "²"]', "from 2 to 6"),
        ("[Player1", '[Player1 "A"B"]', "no header line"),
        ("[Packs", '[Packs "3"]', "have 2 packs"),
        ("[Packs", '[Packs "0"]', "from 1 to 3"),
        ("[Commitment", '[Commitment "AB"]', "64 lower-case hex"),
        ("[Cut", '[Cut "7H"]', "no card of these packs"),
        ("[Cut", '[Cut "7H3"]', "no card of these packs"),
        ("[First", '[First "2"]', "from 0 to 1"),
        ("[Result", '[Result "0:0 1:0"]', "no result"),
        ("[Result", '[Result "0:0"]', "2 to 6 players"),
        ("[Result", '[Result "0:0 4:20"]', "only 2 seats"),
        ("[Result", '[Result "0:0 0:20"]', "no result"),
        ("[Result", "0 draw closed", "no header line"),
    ],
)
def test_a_wrong_header_is_refused_at_its_line(start: str, new: str, reason: str) -> None:
    error = refused(changed(start, new))
    assert error.line == line_of(start) and reason in error.reason, error.message


def test_headers_stand_in_order_once_and_all() -> None:
    deal, date = line_of("[Deal") - 1, line_of("[Date") - 1
    swapped = [*LINES[:deal], LINES[date], LINES[deal], *LINES[date + 1 :]]
    assert (refused("\n".join(swapped)).line, refused("\n".join(swapped)).reason) == (
        date + 1,
        "Deal stands behind Date.",
    )
    twice = [*LINES[: date + 1], *LINES[date:]]
    assert "twice" in refused("\n".join(twice)).reason and refused("\n".join(twice)).line == date + 2
    for number, line in enumerate(LINES[: line_of("[Result")]):
        name = line.split()[0][1:]
        if not name.startswith("Client"):
            error = refused("\n".join([*LINES[:number], *LINES[number + 1 :]]))
            assert error.line == number + 1, (name, error.message)
            assert ("missing" if name != "Seed" else "Without a Seed") in error.reason


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("0 sleep", "no move"),
        ("6 drop", "no move"),
        ("0 drop 7H1", "Nothing is said"),
        ("0 draw", "closed deck"),
        ("0 draw closed 7H1", "closed deck"),
        ("0 draw open", "closed deck"),
        ("0 discard", "One card"),
        ("0 discard 7H", "no card"),
        ("0 discard 7h1", "no card"),
        ("0 discard 7H3", "no card"),
        ("0 discard 7H1 @", "no move"),
        ("0 discard 7H1 @-5", "no move"),
        ("0 discard 7H1 @1 @2", "no move"),
        ("0 show 7H1 7H1 8H1", "twice"),
        ("0 show 7H1 | | 8H1", "empty"),
        ("0 show 7H1 8H1 9H1", "13 cards"),
        ("0 show ; 7H1", "semicolon"),
        ("auto 0 draw closed", "no move"),
        ("0 auto finish 7H1", "never does"),
        ("0 auto leave", "never does"),
        ('[Deal "1"]', "no move"),
        ("0\u00a0drop", "no move"),
        ("0 dr\x00op", "characters"),
        ("x" * 1001, "1000 characters"),
    ],
)
def test_a_wrong_move_is_refused_at_its_line(line: str, reason: str) -> None:
    place = line_of("[Result") + 3
    error = refused("\n".join([*LINES[: place - 1], line, *LINES[place:]]))
    assert error.line == place and reason in error.reason, error.message


def test_what_is_no_text_is_refused_at_its_line() -> None:
    broken = POINTS.encode().replace(b'[Player1 "', b'[Player1 "\xff')
    assert refused(broken).line == line_of("[Player1")
    assert refused(POINTS.encode("utf-16")).line == 1
    assert refused(b"").line == refused("\n\n").line == 1
    assert refused(POINTS.replace("[Player1", "[Player1 \ud800")).line == line_of("[Player1")


def planted(place: int, wrong: str) -> list[str]:
    return [wrong if number == place else line for number, line in enumerate(LINES, start=1)]


def test_of_two_faults_the_first_in_the_file_is_named() -> None:
    """Whether it is found by its form, by the other lines, by the shoe, or by playing on."""
    moves = line_of("[Result") + 2
    faults = {
        line_of("[Book"): '[Book "no-such-book/1"]',
        line_of("[Date"): '[Date "2026-13-01"]',
        line_of("[Player0"): "Player0 = Asha",
        line_of("[Packs"): '[Packs "0"]',
        line_of("[Commitment"): '[Commitment "\ud800"]',
        line_of("[First"): '[First "2"]',
        line_of("[Result"): '[Result "0:0"]',
        moves: "5 draw closed",
        moves + 1: "0 discard QQ",
        moves + 2: "1 discard 7H1",
        moves + 4: "1 pass",
        moves + 5: "1 discard \x00",
        moves + 6: "0 drop",
    }
    alone = {place: refused("\n".join(planted(place, wrong))).line for place, wrong in faults.items()}
    assert alone == {place: place for place in faults}
    for first in faults:
        for second in filter(lambda place, first=first: place > first, faults):
            lines = planted(first, faults[first])
            lines[second - 1] = faults[second]
            error = refused("\n".join(lines))
            assert error.line == first, (first, second, error.message)


def test_what_only_the_shuffle_tells_comes_before_a_move_that_is_none() -> None:
    lines = planted(line_of("[Seed"), f'[Seed "{"0" * 128}"]')
    lines[-1] = "0 pass"
    assert refused("\n".join(lines)).line == line_of("[Seed")


def test_a_file_has_bounds() -> None:
    assert "bytes" in refused(POINTS + "#" * MOST_BYTES).reason
    assert "moves" in refused(POINTS + "0 drop\n" * (MOST_MOVES + 1)).reason


@pytest.mark.slow
def test_a_damaged_file_is_a_deal_or_is_refused_with_a_line() -> None:
    """Whatever happens to a file: nothing but NotationError, at a line that it has."""
    rng = Random(35)
    words = [word for text in TEXTS.values() for word in text.split()]
    for _ in range(1_500):
        text = rng.choice(list(TEXTS.values()))
        for _ in range(rng.randrange(1, 4)):
            text = _damaged(rng, text, words)
        try:
            notation = read(text.encode(errors="surrogatepass") if rng.random() < 0.5 else text)
            steps = list(replay(notation))
        except NotationError as error:
            assert 1 <= error.line <= text.count("\n") + 1 and error.reason
        else:
            assert steps and read(write(notation)) == notation


def _damaged(rng: Random, text: str, words: list[str]) -> str:
    at = rng.randrange(len(text))
    lines = text.split("\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(7):
        case 0:
            return text[:at] + rng.choice('0123456789ACDHJKQRS "[]@|;#\n\r\t\\-:\u2028é\ud800\x00') + text[at + 1 :]
        case 1:
            return text[:at] + text[at + rng.randrange(1, 40) :]
        case 2:
            lines[one], lines[other] = lines[other], lines[one]
        case 3:
            lines.insert(one, lines[other])
        case 4:
            del lines[one]
        case 5:
            found = lines[one].split(" ")
            found[rng.randrange(len(found))] = rng.choice(words)
            lines[one] = " ".join(found)
        case _:
            return text[:at]
    return "\n".join(lines)
