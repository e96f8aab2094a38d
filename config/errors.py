"""Errors outside any view: for programs as `{code, message}`, for people as a page."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith("/api/"):
        return JsonResponse({"code": "not_found", "message": "There is nothing at this address."}, status=404)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    if request.path.startswith("/api/"):
        message = "Something went wrong on our side. Nothing was changed; please try again."
        return JsonResponse({"code": "server_error", "message": message}, status=500)
    return defaults.server_error(request)
