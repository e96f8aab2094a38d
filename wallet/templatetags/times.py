"""Moments in templates: `{{ at|moment }}`, all in the one zone that players read times in."""

from django import template

from wallet import days

register = template.Library()
register.filter("moment", days.told)
register.filter("moment_bare", days.bare)
register.filter("moment_exact", days.exact)
register.simple_tag(days.zone_name)
register.simple_tag(days.zone_told)
