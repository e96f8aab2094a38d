"""The addresses of the tables: pages, and the API."""

from django.urls import path

from tables import notation, pages
from tables.analysis import api as analysis_api, views as analysis
from tables.fairness import views as fairness
from tables.history import views as history

app_name = "tables"

urlpatterns = [
    path("tables/", pages.own_tables, name="own_tables"),
    path("tables/<int:table_id>/", pages.table, name="table"),
    path("tables/<int:table_id>/watch/", pages.watch, name="watch"),
    path("api/socket/", pages.socket_protocol, name="socket"),
    path("api/notation/", notation.about_notation, name="notation"),
    path("api/notation/<str:file>", notation.notation_file, name="notation_file"),
    path("history/", history.history, name="history"),
    path("history/download/", history.history_file, name="history_file"),
    path("history/notation/", notation.history_notation, name="history_notation"),
    path("history/figures/", history.figures, name="figures"),
    path("history/<int:deal_id>/", history.deal, name="deal"),
    path("history/<int:deal_id>/analysis/", analysis.analysis, name="analysis"),
    path("history/<int:deal_id>/analysis/now/", analysis.analysis_now, name="analysis_now"),
    path("board/", analysis.board_page, name="board"),
    path("history/<int:deal_id>/share/", history.share, name="share"),
    path("fairness/", fairness.page, name="fairness"),
    path("fairness/figures/", fairness.figures_file, name="fairness_file"),
    path("fairness/deals/<int:part>/", fairness.deals_file, name="fairness_deals"),
    path("shared/<slug:token>/", history.shared, name="shared"),
    path("shared/<slug:token>/rdn/", notation.shared_notation, name="shared_notation"),
]

#: Under /api/.
api = [
    path("tables/<int:table_id>/sheet/", history.ScoreSheet.as_view(), name="api-sheet"),
    path("tables/<int:table_id>/watch/", pages.Watch.as_view(), name="api-watch"),
    path("history/", history.History.as_view(), name="api-history"),
    path("history/download/", history.HistoryFile.as_view(), name="api-history-file"),
    path("history/notation/", notation.HistoryInNotation.as_view(), name="api-history-notation"),
    path("deals/<int:deal_id>/", history.Replay.as_view(), name="api-deal"),
    path("deals/<int:deal_id>/review/", history.Review.as_view(), name="api-review"),
    path("deals/<int:deal_id>/analysis/", analysis_api.DealAnalysis.as_view(), name="api-analysis"),
    path("board/", analysis_api.PlayOnBoard.as_view(), name="api-board"),
    path("deals/<int:deal_id>/proof/", history.Proof.as_view(), name="api-proof"),
    path("fairness/", fairness.Fairness.as_view(), name="api-fairness"),
    path("deals/<int:deal_id>/rdn/", notation.InNotation.as_view(), name="api-rdn"),
]
