"""Public pages about the books."""

from django.urls import path

from wallet.audit import views

app_name = "transparency"
urlpatterns = [path("", views.transparency, name="heads"), path("heads.txt", views.heads_file, name="file")]
