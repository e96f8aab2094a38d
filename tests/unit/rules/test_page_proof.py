"""The page's check of a proof says the same as `verify_deal`, about honest deals and about false proofs."""

import json
import re
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from config.bootstrap import ROOT
from rules.fairness import verify
from tests.javascript import HERE, node
from tests.support.simulated import played_deals

VENDOR = ROOT / "static/vendor/noble-hashes"
NO_PROOF = "This is not a proof of a deal"


def false_proofs(proof: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the proof with each part of it changed or left out."""
    seat = str(proof["order"][0])
    forged: dict[str, Any] = {
        "deal": "another",
        "seed": "00" * 64,
        "commitment": "0" * 64,
        "client_seeds": [*proof["client_seeds"], "00" * 16],
        "upcard": proof["cut_joker"],
        "cut_joker": proof["closed"][0],
        "closed": proof["closed"][::-1],
        "hands": {**proof["hands"], seat: proof["hands"][seat][::-1]},
        "toss": [{"seat": seat, "card": "AS"}],
        "packs": 1,
        "order": proof["order"][::-1],
        "reshuffles": [{"number": 1, "discarded": proof["closed"], "closed": proof["closed"]}],
    }
    for part, value in forged.items():
        yield {**proof, part: value}
        yield {name: rest for name, rest in proof.items() if name != part}
    yield {**proof, "hands": {**proof["hands"], "9": proof["hands"][seat]}}
    yield {**proof, "packs": 4}
    yield {**proof, "order": []}
    yield {**proof, "order": [], "hands": {}}


def plain_sentences(differences: list[str]) -> list[str]:
    """Return the sentences without the details that only one language knows."""
    return [NO_PROOF if each.startswith(NO_PROOF) else each for each in differences]


@pytest.mark.skipif(not node(), reason="no Node.js")
def test_the_page_agrees_with_verify_deal() -> None:
    books = ("standard-points", "standard-blind", "lives-points")
    honest = [played.proof() for book in books for played in played_deals(book, players=3, deals=1, seed=5)]
    proofs = [*honest, *(forged for proof in honest for forged in false_proofs(proof))]
    result = subprocess.run(
        [node(), "verify_proofs.js"], cwd=HERE, input=json.dumps(proofs), capture_output=True, text=True, check=True
    )
    ours, theirs = [verify(proof) for proof in proofs], json.loads(result.stdout)
    assert ours[: len(honest)] == [[]] * len(honest)
    different = [
        (part, mine, yours)
        for part, mine, yours in zip(proofs, ours, theirs, strict=True)
        if plain_sentences(mine) != plain_sentences(yours)
    ]
    assert different == []
    assert all(theirs[len(honest) :]), "a false proof passed"


def test_the_library_is_as_it_was_published() -> None:
    sums = re.findall(r"^    ([0-9a-f]{64})  (\S+)$", (VENDOR / "README.md").read_text(), re.MULTILINE)
    assert {name for _, name in sums} == {path.name for path in VENDOR.glob("*.js")}
    assert {name: sha256((VENDOR / name).read_bytes()).hexdigest() for _, name in sums} == {n: s for s, n in sums}
