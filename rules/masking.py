"""Masking of cards and seeds (long hexadecimal numbers) in texts for logs."""

import re
from collections.abc import Callable
from typing import Any

_SECRET = re.compile(r"\b(?:(?:10|[2-9AJQK])[CDHS]|JR)[1-3]?\b|\b[0-9a-fA-F]{16,}\b")


def mask_cards(text: str) -> str:
    """Mask every card and every long hexadecimal number in the text: a deal may still be running."""
    return _SECRET.sub("■", text)


def masked(content: Any, first: Callable[[str], str] = str) -> Any:
    """Mask every text within lists, tuples and dictionaries, after `first`; other values are returned unchanged."""
    match content:
        case str():
            return mask_cards(first(content))
        case dict():
            return {key: masked(value, first) for key, value in content.items()}
        case list() | tuple():
            return [masked(value, first) for value in content]
        case _:
            return content
