from django.urls import path

from tables import api

urlpatterns = [
    path("history/", api.History.as_view(), name="api-history"),
    path("deals/<int:deal_id>/", api.Replay.as_view(), name="api-deal"),
    path("deals/<int:deal_id>/proof/", api.Proof.as_view(), name="api-proof"),
]
