from django.urls import path

from tables.history import api

urlpatterns = [
    path("tables/<int:table_id>/sheet/", api.ScoreSheet.as_view(), name="api-sheet"),
    path("history/", api.History.as_view(), name="api-history"),
    path("history/download/", api.HistoryFile.as_view(), name="api-history-file"),
    path("deals/<int:deal_id>/", api.Replay.as_view(), name="api-deal"),
    path("deals/<int:deal_id>/proof/", api.Proof.as_view(), name="api-proof"),
]
