"""Errors outside any view: for programs as `{code, message}`, for people as a page."""

import sys
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import render
from django.template import loader
from django.utils import translation
from django.views import defaults
from rest_framework.exceptions import NotFound

from wallet.base.errors import Refusal, RefusalBody, TooBusy, TooMany
from wallet.language import gettext as _, gettext_lazy

P = ParamSpec("P")
#: Seconds after which it is worth trying again while the database is not well, or too many come at once.
RETRY_AFTER = 5
BUSY = {"code": "try_again", "message": gettext_lazy("We are busy at this moment. Please try again.")}


def _in_their_language(
    answer: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Answer in the language of the request, even where it failed before anybody asked which that is."""

    @wraps(answer)
    def answered(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        spoken = getattr(request, "LANGUAGE_CODE", "") or translation.get_language_from_request(request)
        with translation.override(spoken):
            return answer(request, *args, **kwargs)

    return answered


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith("/api/"):
        return JsonResponse(RefusalBody(code="not_found", message=_("There is nothing at this address.")), status=404)
    return defaults.page_not_found(request, exception)


@_in_their_language
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith("/api/"):
        message = _("What was sent cannot be read. Nothing was changed.")
        return JsonResponse(RefusalBody(code="parse_error", message=message), status=400)
    return _bare_page("400.html", 400)


@_in_their_language
def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 503 where the database did not respond in spite of retries, else 500."""
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return unavailable(request)
    if request.path.startswith("/api/"):
        message = _("Something went wrong on our side. Nothing was changed; please try again.")
        return JsonResponse(RefusalBody(code="server_error", message=message), status=500)
    return _bare_page("500.html", 500)


class NotAllowed:
    """Show a page on 405: people come to a form's address by GET, as after a sign-in that interrupted them.

    HEAD is answered as GET is, without the content, which the server leaves out. OPTIONS tells the methods.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        method = request.method
        if method == "HEAD":
            request.method = "GET"
        response = self._get_response(request)
        request.method = method
        if method == "OPTIONS" and isinstance(response, HttpResponseNotAllowed):
            methods = {each.strip() for each in response["Allow"].split(",")}
            more = {"OPTIONS", "HEAD"} if "GET" in methods else {"OPTIONS"}
            return HttpResponse(status=204, headers={"Allow": ", ".join(sorted(methods | more))})
        if isinstance(response, HttpResponseNotAllowed) and not response.content:
            page = render(request, "405.html", status=response.status_code)
            page["Allow"] = response["Allow"]
            return page
        return response


class Refusing:
    """Answer pages that are refused: 404 for what is not there or not open, 429 for too much, 503 for too many at once.

    `config.api.explain` does so for the API. Pages show every other refusal themselves.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, TooBusy | TooMany):
            return crowded(request, exception)
        hidden = isinstance(exception, Refusal) and exception.status in (403, 404)
        return not_found(request, exception) if hidden or isinstance(exception, NotFound) else None


@_in_their_language
def crowded(request: HttpRequest, exception: TooBusy | TooMany) -> HttpResponse:
    """Say when to try again, on a page made without the database: it costs less than the page that was asked for."""
    if isinstance(exception, TooBusy):
        return unavailable(request, crowded=True)
    page = _bare_page("429.html", 429)
    page["Retry-After"] = str(exception.retry_after)
    page["Cache-Control"] = "no-store"
    return page


@_in_their_language
def unavailable(request: HttpRequest, *, crowded: bool = False) -> HttpResponse:
    """Say when to try again. The page is made without the database, so it shows neither the user nor their balance."""
    if request.path.startswith("/api/"):
        response: HttpResponse = JsonResponse(BUSY, status=503)
    else:
        retry_url = request.get_full_path() if request.method == "GET" else ""
        back = request.get_full_path() if crowded else ""
        response = _bare_page("503.html", 503, again=retry_url, seconds=RETRY_AFTER, back=back)
    response["Retry-After"] = str(RETRY_AFTER)
    response["Cache-Control"] = "no-store"
    return response


def _bare_page(template: str, status: int, **context: object) -> HttpResponse:
    """Return a page that is made without the database and without what other pages know."""
    return HttpResponse(
        loader.render_to_string(template, {"language": translation.get_language(), **context}), status=status
    )
