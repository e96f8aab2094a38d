"""The pages of the lobby, the account and the rules."""

from django.contrib.auth.views import LogoutView
from django.templatetags.static import static
from django.urls import path
from django.views.generic import RedirectView

from lobby.accounts import views as accounts
from lobby.help import views as help
from lobby.help.two_minutes import two_minutes
from lobby.reports import views as reports
from lobby.responsible_gaming import views as responsible_gaming
from lobby.stakes import views as stakes
from lobby.two_factor import views as two_factor
from lobby.two_factor.sessions import open_without_code

app_name = "lobby"
urlpatterns = [
    path("", stakes.lobby, name="lobby"),
    path("sit/<int:stake_id>/", stakes.sit, name="sit"),
    path("play-now/", stakes.play_now, name="play_now"),
    path("practice/", stakes.practice, name="practice"),
    path("private/", stakes.private_open, name="private_open"),
    path("private/find/", stakes.private_find, name="private_find"),
    path("private/<str:code>/", stakes.private, name="private"),
    path("how-to-play/", help.how_to_play, name="how_to_play"),
    path("how-to-play/two-minutes/", two_minutes, name="two_minutes"),
    path("how-to-play/<slug:key>/", help.how_to_play, name="how_to_play"),
    path("report/<int:deal_id>/", reports.page, name="report"),
    path("account/", accounts.account, name="account"),
    path("account/care/", responsible_gaming.page, name="care"),
    path("account/password/", accounts.password_change, name="password_change"),
    path("account/code/", two_factor.code, name="code"),
    path("account/code/picture.svg", two_factor.picture, name="code_picture"),
    path("account/code/recovery/", two_factor.recovery, name="recovery"),
    path("signup/", accounts.sign_up, name="signup"),
    path("login/", accounts.SignInPage.as_view(), name="login"),
    path("favicon.ico", open_without_code(RedirectView.as_view(url=static("img/brand.svg"), permanent=True))),
    path("logout/", open_without_code(LogoutView.as_view()), name="logout"),
]
