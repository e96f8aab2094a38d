"""A filter that translates texts of the rules: `{{ book.title|told }}`."""

from django import template

from tables.language import spoken, told_title

register = template.Library()
register.filter("told", spoken)
register.filter("told_title", told_title)
