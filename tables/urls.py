from django.urls import path

from tables import pages

app_name = "tables"

urlpatterns = [
    path("<int:table_id>/", pages.table, name="table"),
]
