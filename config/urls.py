"""Every address of the site."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny

from config import language
from config.browser import views as browser
from lobby import urls as lobby
from tables import urls as tables
from wallet import urls as wallet

#: The HTTP API, with the addresses of each app.
api: list[URLPattern | URLResolver] = [
    path("schema/", browser.Schema.as_view(permission_classes=[AllowAny]), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(permission_classes=[AllowAny]), name="api-docs"),
    *lobby.api,
    *tables.api,
    *wallet.api,
]

urlpatterns = [
    path("manifest.webmanifest", browser.manifest, name="manifest"),
    path("offline/", browser.offline, name="offline"),
    path("language/", language.choose, name="language"),
    path("language/<slug:language>/words.js", language.words, name="words"),
    path("admin/", admin.site.urls),
    path("", include(tables)),
    path("api/", include(api)),
    path("", include(wallet)),
    path("", include(lobby)),
]

handler400 = "config.errors.bad_request"
handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"
