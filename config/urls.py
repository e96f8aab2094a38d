"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from config import language
from config.browser import views as browser

urlpatterns = [
    path("manifest.webmanifest", browser.manifest, name="manifest"),
    path("offline/", browser.offline, name="offline"),
    path("language/", language.choose, name="language"),
    path("language/<slug:language>/words.js", language.words, name="words"),
    path("admin/", admin.site.urls),
    path("", include("tables.urls")),
    path("api/", include("config.api_urls")),
    path("wallet/", include("wallet.urls")),
    path("transparency/", include("wallet.audit.urls")),
    path("finance/", include("wallet.finance.urls")),
    path("", include("lobby.urls")),
]

handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"
