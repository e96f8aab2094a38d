from django.urls import path

from tables import notation, pages
from tables.analysis import api as analysis
from tables.analysis.api import PlayOnBoard
from tables.fairness import views as fairness
from tables.history import views as history

urlpatterns = [
    path("tables/<int:table_id>/sheet/", history.ScoreSheet.as_view(), name="api-sheet"),
    path("tables/<int:table_id>/watch/", pages.Watch.as_view(), name="api-watch"),
    path("history/", history.History.as_view(), name="api-history"),
    path("history/download/", history.HistoryFile.as_view(), name="api-history-file"),
    path("history/notation/", notation.HistoryInNotation.as_view(), name="api-history-notation"),
    path("deals/<int:deal_id>/", history.Replay.as_view(), name="api-deal"),
    path("deals/<int:deal_id>/review/", history.Review.as_view(), name="api-review"),
    path("deals/<int:deal_id>/analysis/", analysis.DealAnalysis.as_view(), name="api-analysis"),
    path("board/", PlayOnBoard.as_view(), name="api-board"),
    path("deals/<int:deal_id>/proof/", history.Proof.as_view(), name="api-proof"),
    path("fairness/", fairness.Fairness.as_view(), name="api-fairness"),
    path("deals/<int:deal_id>/rdn/", notation.InNotation.as_view(), name="api-rdn"),
]
