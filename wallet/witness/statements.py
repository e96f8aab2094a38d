"""The chain of witnesses: each is sealed behind the one before it, with a key that is not in the database.

`state` adds one; `broken_witnesses` finds those that were altered, removed or invented.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils import timezone

from wallet.keys import signing
from wallet.witness.models import Witness


def add_witness(kind: str, content: Mapping[str, Any]) -> Witness:
    """Add a witness, in the transaction of the facts that it states; two written at once may follow the same one."""
    before = Witness.objects.order_by("-pk").values_list("seal", flat=True).first()
    witness = Witness(at=timezone.now(), kind=kind, content=content, follows=before or "")
    witness.seal = signing.sign(signing.WITNESS, _sealed_content(witness))
    witness.save(force_insert=True)
    return witness


def latest_statement(kind: str) -> dict[str, Any]:
    """Return the content of the latest witness of the kind; empty where there is none."""
    return dict(Witness.objects.filter(kind=kind).order_by("-pk").values_list("content", flat=True).first() or {})


def broken_witnesses() -> Iterator[tuple[Witness, str]]:
    """Yield each witness with a wrong or repeated seal, or without its predecessor, and what is wrong with it."""
    seals = {""}
    for witness in Witness.objects.order_by("pk").iterator(chunk_size=100):
        if not signing.is_signed(signing.WITNESS, _sealed_content(witness), witness.seal):
            yield witness, "does not bear the seal due to it"
        if witness.seal in seals:
            yield witness, "is there twice"
        if witness.follows not in seals:
            yield witness, "follows a witness that is not there any more"
        seals.add(witness.seal)


def _sealed_content(witness: Witness) -> str:
    content = [witness.follows, witness.at.timestamp(), witness.kind, witness.content]
    return json.dumps(content, sort_keys=True, separators=(",", ":"))
