"""A filter that translates texts of the rules: `{{ book.title|told }}`."""

from django import template

from tables.language import translated, translated_title

register = template.Library()
register.filter("told", translated)
register.filter("told_title", translated_title)
