from django.urls import path

from tables.history import views as pages

app_name = "tables"

urlpatterns = [
    path("tables/<int:table_id>/", pages.table, name="table"),
    path("api/socket/", pages.socket_protocol, name="socket"),
    path("history/", pages.history, name="history"),
    path("history/download/", pages.history_file, name="history_file"),
    path("history/<int:deal_id>/", pages.deal, name="deal"),
]
