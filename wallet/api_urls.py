"""Addresses of the wallet below /api/."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
