"""The frames of tables/PROTOCOL.md: what is accepted, and that everything else is refused with its own code."""

import json
import re

import pytest

from config.bootstrap import ROOT
from rules.game import moves
from tables.errors import TableError
from tables.play.protocol import FRAME_LIMIT, described, parse_frame, request_id, to_move
from tables.sockets.base import CLOSE_CODES


def refusal(text: str) -> str:
    with pytest.raises(TableError) as refused:
        parse_frame(text)
    return refused.value.code


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ('{"type":"draw","pile":"open"}', moves.Draw(seat=3, pile=moves.Pile.OPEN)),
        ('{"type":"discard","card":"10D2","version":7}', moves.Discard(seat=3, card="10D2")),
        # No card of any pack is one that the player does not hold, which the game refuses as such.
        ('{"type":"discard","card":"ZZ9"}', moves.Discard(seat=3, card="ZZ9")),
        ('{"type":"drop","id":"a"}', moves.Drop(seat=3)),
        ('{"type":"auto_drop","on":true}', moves.AutoDrop(seat=3, on=True)),
        ('{"type":"finish","card":"JR1"}', moves.Finish(seat=3, card="JR1")),
        ('{"type":"arrange","groups":[["3H1","4H1"],[]]}', moves.Arrange(seat=3, groups=(("3H1", "4H1"), ()))),
        ('{"type":"submit"}', moves.Submit(seat=3, groups=None)),
        ('{"type":"submit","groups":[["3H1"]]}', moves.Submit(seat=3, groups=(("3H1",),))),
        ('{"type":"add_chips","amount":80}', moves.AddChips(seat=3, amount=80)),
        ('{"type":"answer_split","accept":false}', moves.AnswerSplit(seat=3, accept=False)),
        ('{"type":"client_seed","seed":"%s"}' % ("0f" * 16), moves.ClientSeed(seat=3, seed="0f" * 16)),
    ],
)
def test_a_frame_becomes_its_move(text: str, move: moves.Move) -> None:
    assert to_move(parse_frame(text), 3) == move


def test_every_player_move_has_a_frame() -> None:
    names = {move.name for move in moves.PLAYER_MOVES}
    samples = {"pile": "closed", "card": "2C1", "on": True, "groups": [], "amount": 1, "accept": True, "seed": "a" * 32}
    for name in names:
        fields: dict[str, object] = {}
        while True:
            try:
                assert to_move(parse_frame(json.dumps({"type": name, **fields})), 0).name == name
                break
            except TableError as error:
                wanted = error.message.split(" needs ")[1].split(":")[0]
                fields[wanted] = samples[wanted]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        '"draw"',
        "null",
        "{}",
        '{"type":1}',
        '{"type":"draw"}',
        '{"type":"draw","pile":"closed","pile":"open"}',
        '{"type":"draw","pile":"both"}',
        '{"type":"draw","pile":["open"]}',
        '{"type":"draw","pile":"open","seat":1}',
        '{"type":"drop","version":"7"}',
        '{"type":"drop","version":-1}',
        '{"type":"drop","version":true}',
        '{"type":"drop","version":1.0}',
        '{"type":"drop","id":""}',
        '{"type":"drop","id":"%s"}' % ("x" * 65),
        '{"type":"drop","id":"a\\u0000b"}',
        '{"type":"drop","id":{}}',
        '{"type":"auto_drop","on":1}',
        '{"type":"add_chips","amount":0}',
        '{"type":"add_chips","amount":-80}',
        '{"type":"add_chips","amount":1e3}',
        '{"type":"add_chips","amount":NaN}',
        '{"type":"add_chips","amount":Infinity}',
        '{"type":"add_chips","amount":9223372036854775808}',
        '{"type":"add_chips","amount":"٨٠"}',
        '{"type":"arrange","groups":"3H1"}',
        '{"type":"arrange","groups":[["3H1",4]]}',
        '{"type":"discard","card":"7♥1"}',
        '{"type":"client_seed","seed":"xyz"}',
        '{"type":"client_seed","seed":"%s"}' % ("A" * 32),
        "[" * 5000,
        '{"type":"add_chips","amount":' + "9" * 5000 + "}",
    ],
)
def test_a_malformed_frame_is_refused(text: str) -> None:
    assert refusal(text) == "bad_frame"


@pytest.mark.parametrize(
    "kind", ["deal", "table_state", "websocket.disconnect", "_finish", "Draw", "sit", "expire", ""]
)
def test_only_registered_types_are_known(kind: str) -> None:
    assert refusal(json.dumps({"type": kind})) == "unknown_type"


def test_a_frame_of_more_than_8_kib_is_refused_and_one_of_8_kib_is_not() -> None:
    def padded(size: int) -> str:
        text = '{"type":"ping","id":"a"}'
        return text + " " * (size - len(text))

    assert parse_frame(padded(FRAME_LIMIT)).type == "ping"
    assert refusal(padded(FRAME_LIMIT + 1)) == "bad_frame"


def test_the_id_of_a_refused_frame_is_found_where_it_can_be() -> None:
    assert request_id('{"type":"draw","id":"q7"}') == "q7"
    assert request_id('{"type":"draw","id":{}}') is None
    assert request_id("nonsense") is None


def test_lone_surrogates_do_not_get_through() -> None:
    assert refusal('{"type":"discard","card":"\\ud800"}') == "bad_frame"


def test_the_page_of_the_protocol_names_every_frame_and_every_close() -> None:
    page = (ROOT / "tables/PROTOCOL.md").read_text()
    sent, closes = (page.partition(f"## {title}")[2].partition("##")[0] for title in ("What a client sends", "When it"))
    kinds = {kind for row in re.findall(r"^\| (`.*?) \|", sent, re.MULTILINE) for kind in re.findall(r"`(\w+)`", row)}
    assert kinds == {frame["type"] for frame in described()}
    assert {int(code) for code in re.findall(r"\b(\d{4})\b", closes)} == set(CLOSE_CODES)
