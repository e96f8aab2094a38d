"""Addresses of the lobby's API, under /api/."""

from django.urls import path

from lobby.accounts import api as accounts
from lobby.daily import views as daily
from lobby.friends import views as friends
from lobby.profiles import views as profiles
from lobby.puzzles import views as puzzles
from lobby.ratings import views as ratings
from lobby.responsible_gaming import views as responsible_gaming
from lobby.stakes import api as stakes
from lobby.tournaments import views as tournaments
from lobby.two_factor.sessions import open_without_code

urlpatterns = [
    path("auth/signup/", accounts.SignUp.as_view()),
    path("auth/login/", accounts.LogIn.as_view()),
    path("auth/logout/", open_without_code(accounts.LogOut.as_view())),
    path("auth/token/", accounts.IssueToken.as_view()),
    path("me/", accounts.WhoAmI.as_view()),
    path("me/care/", responsible_gaming.Overview.as_view()),
    path("me/care/now/", responsible_gaming.Now.as_view(), name="api-care-now"),
    path("me/care/limits/", responsible_gaming.SetLimit.as_view()),
    path("me/care/limits/withdraw/", responsible_gaming.Withdraw.as_view()),
    path("me/care/exclusion/", responsible_gaming.ExcludeOneself.as_view()),
    path("me/care/reminder/", responsible_gaming.Reminder.as_view()),
    path("me/care/seen/", responsible_gaming.Seen.as_view(), name="api-care-seen"),
    path("lobby/", stakes.Lobby.as_view()),
    path("tables/<int:table_id>/seats/", stakes.TableSeat.as_view(), name="api-table-seat"),
    path("stakes/<int:stake_id>/tables/", stakes.StakeTables.as_view()),
    path("stakes/<int:stake_id>/seats/", stakes.StakeSeat.as_view()),
    path("families/<slug:family>/seats/", stakes.FamilySeat.as_view()),
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
    path("practice/", stakes.Practice.as_view()),
    path("private/", stakes.Private.as_view()),
    path("private/<str:code>/seats/", stakes.PrivateSeat.as_view(), name="api-private-seat"),
]
