"""Public pages about the books."""

from django.urls import path

from wallet.audit import pages

app_name = "transparency"
urlpatterns = [
    path("", pages.transparency, name="heads"),
    path("heads.txt", pages.heads_file, name="file"),
]
