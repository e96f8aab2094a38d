"""Sentences for people that remember their template and its values, so that they can be translated later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")
Translate = Callable[[str], str]


class Message(str):
    """A sentence in English that remembers its `template` and the `values` in it; a value may be one as well."""

    template: str
    values: Mapping[str, Any]


def message(template: str, **values: Any) -> Message:
    """Return the template, a text of the catalogue, with the values in the places that it names: `{points}`."""
    sentence = Message(template.format(**values) if values else template)
    sentence.template, sentence.values = template, values
    return sentence


def join(sentences: Iterable[str]) -> Message:
    """Return the sentences one after the other."""
    parts = {f"part{number}": sentence for number, sentence in enumerate(sentences)}
    return message(" ".join(f"{{{name}}}" for name in parts), **parts)


def lower_first(sentence: str) -> str:
    """Return the sentence with a small first letter, for the middle of another sentence."""
    return _like(sentence, sentence[0].lower() + sentence[1:])


def upper_first(sentence: str) -> str:
    """Return the sentence with a capital first letter."""
    return _like(sentence, sentence[0].upper() + sentence[1:])


def _like(sentence: str, text: str) -> str:
    if not isinstance(sentence, Message):
        return text
    like = Message(text)
    like.template, like.values = sentence.template, sentence.values
    return like


def translatable(of: T) -> T:
    """Return the texts unchanged: this call marks them for the catalogue, and `message` puts values into them later."""
    return of


def translate_message(text: str, translate: Translate) -> str:
    """Return the sentence in the language of `translate`, which translates templates; other texts are unchanged."""
    if not isinstance(text, Message):
        return text
    template = translate(text.template)
    if not text.values:
        return template
    return template.format(**{name: translate_message(value, translate) if isinstance(value, str) else value
                              for name, value in text.values.items()})  # fmt: skip


def translate_messages(content: Any, translate: Translate) -> Any:
    """Return plain data with every sentence in it translated; parts without a sentence remain the same objects."""
    if isinstance(content, Message):
        return translate_message(content, translate)
    if isinstance(content, Mapping):
        translated = {key: translate_messages(value, translate) for key, value in content.items()}
        return translated if any(translated[key] is not value for key, value in content.items()) else content
    if isinstance(content, list | tuple):
        items = [translate_messages(value, translate) for value in content]
        return items if any(new is not old for new, old in zip(items, content, strict=True)) else content
    return content
