"""Deals that were brought in from files, to be studied."""

import hashlib

from rules.notation import Notation, replay, write
from tables.models import StudyDeal


def add_study_deal(deal: Notation) -> bool:
    """Keep the deal for study, once; return whether it is new. NotationError if it cannot have been played."""
    for _ in replay(deal):
        pass
    text = write(deal)
    fields = {"text": text, "book": deal.book.key, "players": len(deal.dealt)}
    _, is_new = StudyDeal.objects.get_or_create(digest=hashlib.sha256(text.encode()).hexdigest(), defaults=fields)
    return is_new
