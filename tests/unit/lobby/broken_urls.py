"""A site with a fault."""

from django.http import HttpRequest, HttpResponse
from django.urls import path


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a fault")


urlpatterns = [path("", broken)]
