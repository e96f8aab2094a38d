"""Addresses of the lobby's API, under /api/."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
