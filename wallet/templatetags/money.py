"""Amounts in templates: `{{ amount|display:currency }}`."""

from collections.abc import Mapping
from typing import Any

from django import template

from wallet.base import money

register = template.Library()
register.filter("display", money.display)
register.filter("figure", money.figure)
register.filter("change", money.change)
register.filter("change_with_unit", money.display_change)


@register.filter
def at(mapping: Mapping[Any, Any], key: Any) -> Any:
    """Return what is found under the key; None where nothing is."""
    return mapping.get(key)
