"""Amounts and moments in templates: `{{ amount|amount:currency }}`, `{{ at|moment }}` in the one zone for players."""

from collections.abc import Mapping
from typing import Any

from django import template

from wallet.base import money, report_zone

register = template.Library()


@register.filter
def amount(value: int | None, currency: str) -> str:
    """Write an amount as `1,500 chips`; nothing for None."""
    return "" if value is None else money.display(value, currency)


@register.filter
def figure(value: int | None, currency: str) -> str:
    """Write a figure as `1,500`, for columns whose heading says what is counted; nothing for None."""
    return "" if value is None else money.figure(value, currency)


@register.filter
def at(mapping: Mapping[Any, Any], key: Any) -> Any:
    """Return what is found under the key; None where nothing is."""
    return mapping.get(key)


register.filter("plain", money.plain)
register.filter("change", money.change)
register.filter("change_with_unit", money.display_change)
register.filter("day", report_zone.local_day)
register.filter("moment", report_zone.format_moment)
register.filter("moment_bare", report_zone.format_moment_short)
register.filter("moment_exact", report_zone.format_moment_seconds)
register.filter("moment_iso", report_zone.format_moment_iso)
register.filter("moment_staff", report_zone.format_moment_with_utc)
register.simple_tag(report_zone.day_left)
register.simple_tag(report_zone.zone_name)
register.simple_tag(report_zone.zone_in_words)
