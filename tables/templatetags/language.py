"""Texts of the rules in templates: `{{ book.title|told }}`."""

from django import template

from tables.language import told, told_title

register = template.Library()
register.filter("told", told)
register.filter("told_title", told_title)
