"""The HTTP API, one list of addresses for each app."""

from django.urls import include, path
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny

from config.browser.views import Schema

urlpatterns = [
    path("schema/", Schema.as_view(permission_classes=[AllowAny]), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(permission_classes=[AllowAny]), name="api-docs"),
    path("", include("lobby.api_urls")),
    path("", include("tables.api_urls")),
    path("", include("wallet.api_urls")),
]
