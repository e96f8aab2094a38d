"""The pages of the lobby, the account and the rules."""

from django.contrib.auth.views import LogoutView
from django.templatetags.static import static
from django.urls import path
from django.views.generic import RedirectView

from lobby import views
from lobby.accounts import views as account
from lobby.help import views as rules_pages
from lobby.reports import services as reporting
from lobby.responsible_gaming import views as care_pages
from lobby.two_factor import views as guard

app_name = "lobby"
urlpatterns = [
    path("", views.lobby, name="lobby"),
    path("sit/<int:stake_id>/", views.sit, name="sit"),
    path("practice/", views.practice, name="practice"),
    path("private/", views.private_open, name="private_open"),
    path("private/find/", views.private_find, name="private_find"),
    path("private/<str:code>/", views.private, name="private"),
    path("how-to-play/", rules_pages.how_to_play, name="how_to_play"),
    path("how-to-play/<slug:key>/", rules_pages.how_to_play, name="how_to_play"),
    path("report/<int:deal_id>/", reporting.page, name="report"),
    path("account/", account.account, name="account"),
    path("account/care/", care_pages.page, name="care"),
    path("account/password/", account.password_change, name="password_change"),
    path("account/code/", guard.code, name="code"),
    path("account/code/picture.svg", guard.picture, name="code_picture"),
    path("account/code/recovery/", guard.recovery, name="recovery"),
    path("signup/", account.sign_up, name="signup"),
    path("login/", account.SignInPage.as_view(), name="login"),
    path("favicon.ico", RedirectView.as_view(url=static("img/brand.svg"), permanent=True)),
    path("logout/", LogoutView.as_view(), name="logout"),
]
