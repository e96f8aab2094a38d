"""The addresses of the lobby, the account and the rules: pages, and the API."""

from django.contrib.auth.views import LogoutView
from django.templatetags.static import static
from django.urls import path
from django.views.generic import RedirectView, TemplateView

from lobby import about, profiles
from lobby.account_data import views as account_data
from lobby.accounts import api as accounts_api, views as accounts
from lobby.accounts.recovery import views as recovery
from lobby.collusion import views as collusion
from lobby.daily import views as daily
from lobby.friends import views as friends
from lobby.help import views as help
from lobby.puzzles import views as puzzles
from lobby.ratings import views as ratings
from lobby.reports import views as reports
from lobby.responsible_gaming import views as responsible_gaming
from lobby.stakes import api as stakes_api, views as stakes
from lobby.tournaments import views as tournaments
from lobby.two_factor import views as two_factor
from lobby.two_factor.sessions import open_without_code

app_name = "lobby"
urlpatterns = [
    path("", stakes.lobby, name="lobby"),
    path("sit/<int:stake_id>/", stakes.sit, name="sit"),
    path("play-now/", stakes.play_now, name="play_now"),
    path("tournaments/", tournaments.tournament_list, name="tournaments"),
    path("tournaments/now/", tournaments.tournament_list_now, name="tournaments_now"),
    path("tournaments/how-they-work/", tournaments.how_tournaments_work, name="how_tournaments_work"),
    path("tournaments/<int:tournament_id>/", tournaments.tournament_page, name="tournament"),
    path("tournaments/<int:tournament_id>/now/", tournaments.tournament_now, name="tournament_now"),
    path("tournaments/<int:tournament_id>/others/", tournaments.others, name="tournament_others"),
    path("tournaments/<int:tournament_id>/act/", tournaments.act, name="tournament_act"),
    path("daily/", daily.today, name="daily"),
    path("daily/week/", daily.week, name="daily_week"),
    path("daily/week/<str:day>/", daily.week, name="daily_week_of"),
    path("daily/<str:day>/", daily.one_day, name="daily_of"),
    path("duplicate/", daily.matches, name="duplicates"),
    path("duplicate/<str:match_code>/", daily.match, name="duplicate"),
    path("duplicate/<str:match_code>/play/", daily.play_match, name="play_duplicate"),
    path("practice/", stakes.practice, name="practice"),
    path("private/", stakes.private_open, name="private_open"),
    path("lobby/now/", stakes.now, name="now"),
    path("seat/<slug:family>/", stakes.seat_in_family, name="seat_in_family"),
    path("private/new/", stakes.private_new, name="private_new"),
    path("private/find/", stakes.private_find, name="private_find"),
    path("private/<str:code>/", stakes.private, name="private"),
    path("private/<str:code>/code.svg", stakes.private_code_picture, name="private_code_picture"),
    path("private/<str:code>/invite/", friends.invite, name="invite"),
    path("friends/", friends.friends_page, name="friends"),
    path("friends/now/", friends.friends_now, name="friends_now"),
    path("friends/answer/", friends.answer, name="answer_friend"),
    path("friends/hide/", friends.hide, name="hide_presence"),
    path("players/", profiles.search, name="search_players"),
    path("players/<str:name>/", profiles.page, name="profile"),
    path("playing-together/", collusion.page, name="playing_together"),
    path("boards/", ratings.page, name="boards"),
    path("study/", TemplateView.as_view(template_name="lobby/study/page.html"), name="study"),
    path("study/puzzles/", puzzles.home, name="puzzles"),
    path("study/puzzles/next/", puzzles.next_one, name="next_puzzle"),
    path("study/puzzles/path/", puzzles.path, name="puzzle_path"),
    path("study/puzzles/answers/", puzzles.history, name="puzzle_history"),
    path("study/puzzles/run/", puzzles.run_start, name="puzzle_run_start"),
    path("study/puzzles/run/<int:run_id>/", puzzles.run, name="puzzle_run"),
    path("study/puzzles/run/<int:run_id>/<int:puzzle_id>/", puzzles.run_answer, name="puzzle_run_answer"),
    path("study/puzzles/<int:puzzle_id>/", puzzles.page, name="puzzle"),
    path("news/", friends.news, name="news"),
    path("invitations/<int:invitation_id>/decline/", friends.decline, name="decline"),
    path("rematch/<int:match_id>/", friends.rematch, name="rematch"),
    path("how-to-play/", help.how_to_play, name="how_to_play"),
    path("how-to-play/two-minutes/", help.two_minutes, name="two_minutes"),
    path("how-to-play/<slug:key>/", help.how_to_play, name="how_to_play"),
    path("report/<int:deal_id>/", reports.page, name="report"),
    path("report/<int:deal_id>/read/", reports.read, name="report_read"),
    path("about/", about.page, {"name": "about"}, name="about"),
    path("terms/", about.page, {"name": "terms"}, name="terms"),
    path("safety/", about.page, {"name": "safety"}, name="safety"),
    path("complaints/", reports.complaints, name="complaints"),
    path("complaints/<int:report_id>/", reports.complaint, name="complaint"),
    path("complaints/<str:token>/", reports.complaint_by_link, name="complaint_by_link"),
    path("account/", accounts.account, name="account"),
    path("account/care/", responsible_gaming.page, name="care"),
    path("account/password/", accounts.password_change, name="password_change"),
    path("account/sessions/", account_data.sessions_page, name="sessions"),
    path("account/recovery-codes/", recovery.password_codes, name="password_codes"),
    path("account/recovery-codes/later/", recovery.codes_later, name="codes_later"),
    path("account/email/", accounts.address, name="email"),
    path("account/email/<str:token>/", accounts.email_proof, name="email_proof"),
    path("account/data/", account_data.own_data, name="own_data"),
    path("account/close/", account_data.close, name="close"),
    path("account/code/", two_factor.code, name="code"),
    path("account/code/picture.svg", two_factor.picture, name="code_picture"),
    path("account/code/recovery/", two_factor.recovery, name="recovery"),
    path("signup/", accounts.sign_up, name="signup"),
    path("login/", accounts.SignInPage.as_view(), name="login"),
    path("login/forgotten/", recovery.forgotten, name="forgotten"),
    path("login/forgotten/email/", recovery.request_link, name="forgotten_by_mail"),
    path("login/forgotten/<uidb64>/<token>/", recovery.ResetPasswordPage.as_view(), name="reset"),
    path("favicon.ico", open_without_code(RedirectView.as_view(url=static("img/brand.svg"), permanent=True))),
    path("logout/", open_without_code(LogoutView.as_view()), name="logout"),
]

#: Under /api/.
api = [
    path("auth/signup/", accounts_api.SignUp.as_view()),
    path("auth/login/", accounts_api.LogIn.as_view()),
    path("auth/logout/", open_without_code(accounts_api.LogOut.as_view())),
    path("auth/token/", accounts_api.IssueToken.as_view()),
    path("me/", accounts_api.WhoAmI.as_view()),
    path("me/care/", responsible_gaming.Overview.as_view()),
    path("me/care/now/", responsible_gaming.Now.as_view(), name="api-care-now"),
    path("me/care/limits/", responsible_gaming.SetLimit.as_view()),
    path("me/care/limits/withdraw/", responsible_gaming.Withdraw.as_view()),
    path("me/care/exclusion/", responsible_gaming.ExcludeOneself.as_view()),
    path("me/care/reminder/", responsible_gaming.Reminder.as_view()),
    path("me/care/seen/", responsible_gaming.Seen.as_view(), name="api-care-seen"),
    path("lobby/", stakes_api.Lobby.as_view()),
    path("tables/<int:table_id>/seats/", stakes_api.TableSeat.as_view(), name="api-table-seat"),
    path("stakes/<int:stake_id>/tables/", stakes_api.StakeTables.as_view()),
    path("stakes/<int:stake_id>/seats/", stakes_api.StakeSeat.as_view()),
    path("families/<slug:family>/seats/", stakes_api.FamilySeat.as_view()),
    path("tables/<int:table_id>/company/", friends.TableCompany.as_view(), name="api-table-company"),
    path("matches/<int:match_id>/rematch/", friends.RematchSeat.as_view()),
    path("friends/", friends.Friends.as_view(), name="api-friends"),
    path("friends/answer/", friends.AnswerFriend.as_view()),
    path("mutes/", friends.Mutes.as_view(), name="api-mutes"),
    path("tournaments/", tournaments.Tournaments.as_view()),
    path("tournaments/<int:tournament_id>/", tournaments.OneTournament.as_view(), name="api-tournament"),
    path("tournaments/<int:tournament_id>/standings/", tournaments.TournamentStandings.as_view()),
    path("tournaments/<int:tournament_id>/entry/", tournaments.EntryOfTournament.as_view()),
    path("tournaments/<int:tournament_id>/back/", tournaments.BackToTournament.as_view(), name="api-tournament-back"),
    path("ratings/", ratings.Ratings.as_view()),
    path("players/", profiles.Players.as_view()),
    path("players/<str:name>/", profiles.OneProfile.as_view()),
    path("players/<str:name>/rating/", ratings.PlayerRating.as_view()),
    path("daily/", daily.DealOfToday.as_view()),
    path("daily/<str:day>/", daily.DealOfDay.as_view()),
    path("duplicate/", daily.DuplicateMatches.as_view()),
    path("duplicate/<str:match_code>/", daily.OneDuplicate.as_view()),
    path("puzzles/next/", puzzles.NextPuzzle.as_view()),
    path("puzzles/runs/", puzzles.PuzzleRuns.as_view()),
    path("puzzles/<int:puzzle_id>/answer/", puzzles.AnswerPuzzle.as_view()),
    path("practice/", stakes_api.Practice.as_view()),
    path("private/", stakes_api.Private.as_view()),
    path("private/<str:code>/seats/", stakes_api.PrivateSeat.as_view(), name="api-private-seat"),
]
