"""Every address of the site."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny

from config import language
from config.browser import views as browser

#: The HTTP API, one list of addresses for each app.
api: list[URLPattern | URLResolver] = [
    path("schema/", browser.Schema.as_view(permission_classes=[AllowAny]), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(permission_classes=[AllowAny]), name="api-docs"),
    path("", include("lobby.api_urls")),
    path("", include("tables.api_urls")),
    path("", include("wallet.api_urls")),
]

urlpatterns = [
    path("manifest.webmanifest", browser.manifest, name="manifest"),
    path("offline/", browser.offline, name="offline"),
    path("language/", language.choose, name="language"),
    path("language/<slug:language>/words.js", language.words, name="words"),
    path("admin/", admin.site.urls),
    path("", include("tables.urls")),
    path("api/", include(api)),
    path("", include("wallet.urls")),
    path("", include("lobby.urls")),
]

handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"
