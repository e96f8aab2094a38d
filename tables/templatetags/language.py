"""A filter that translates texts of the rules: `{{ book.title|translated }}`."""

from django import template

from tables.language import translated, translated_title

register = template.Library()
register.filter("translated", translated)
register.filter("translated_title", translated_title)
