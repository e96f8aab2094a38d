"""Moments in templates: `{{ at|moment }}`, all in the one zone that players read times in."""

from django import template

from wallet.base import report_zone

register = template.Library()
register.filter("day", report_zone.local_day)
register.filter("moment", report_zone.format_moment)
register.filter("moment_bare", report_zone.format_moment_short)
register.filter("moment_exact", report_zone.format_moment_seconds)
register.filter("moment_staff", report_zone.format_moment_with_utc)
register.simple_tag(report_zone.day_left)
register.simple_tag(report_zone.zone_name)
register.simple_tag(report_zone.zone_in_words)
