"""A puzzle before it is stored."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A question with its solution and what that rests on; `rating` is the one with which it begins."""

    kind: str
    book: str
    asked: Mapping[str, Any]
    solution: str
    proof: Mapping[str, Any]
    rating: int

    @property
    def key(self) -> str:
        """The digest of the question: the same question is asked once."""
        text = json.dumps([self.kind, self.asked], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]
