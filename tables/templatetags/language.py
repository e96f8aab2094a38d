"""Texts of the rules in templates: `{{ book.title|told }}`."""

from django import template

from tables.language import spoken, told_title

register = template.Library()
register.filter("told", spoken)
register.filter("told_title", told_title)
