"""The pages of the lobby, the account and the rules."""

from django.urls import path

from lobby import views

app_name = "lobby"
urlpatterns = [
    path("", views.lobby, name="lobby"),
]
