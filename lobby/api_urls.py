"""Addresses of the lobby's API, under /api/."""

from django.urls import path

from lobby import api
from lobby.responsible_gaming import api as care_api

urlpatterns = [
    path("auth/signup/", api.SignUp.as_view()),
    path("auth/login/", api.LogIn.as_view()),
    path("auth/logout/", api.LogOut.as_view()),
    path("auth/token/", api.GiveToken.as_view()),
    path("me/", api.WhoAmI.as_view()),
    path("me/care/", care_api.Overview.as_view()),
    path("me/care/now/", care_api.Now.as_view()),
    path("me/care/limits/", care_api.SetLimit.as_view()),
    path("me/care/limits/withdraw/", care_api.Withdraw.as_view()),
    path("me/care/exclusion/", care_api.ExcludeOneself.as_view()),
    path("me/care/reminder/", care_api.Reminder.as_view()),
    path("me/care/seen/", care_api.Seen.as_view()),
    path("lobby/", api.Lobby.as_view()),
    path("tables/<int:table_id>/seats/", api.TableSeat.as_view()),
    path("stakes/<int:stake_id>/seats/", api.StakeSeat.as_view()),
    path("practice/", api.Practice.as_view()),
    path("private/", api.Private.as_view()),
    path("private/<str:code>/seats/", api.PrivateSeat.as_view()),
]
