"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("tables.urls")),
    path("api/", include("config.api_urls")),
    path("wallet/", include("wallet.urls")),
    path("finance/", include("wallet.finance.urls")),
    path("", include("lobby.urls")),
]

handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"
