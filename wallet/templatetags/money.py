"""Amounts in templates: `{{ amount|display:currency }}`."""

from django import template

from wallet.base import money

register = template.Library()
register.filter("display", money.display)
register.filter("figure", money.figure)
register.filter("change", money.change)
