"""What browsers and proxies may keep: nothing that was made for one person."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers


class PrivateAnswers:
    """Middleware: an answer to somebody signed in, or to a form, is not kept, unless its view says otherwise.

    So after signing out on a shared device, *back* shows nothing of theirs.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_private = request.user.is_authenticated or request.method == "POST"
        response = self._get_response(request)
        # The API sets the user here who has sent a token.
        is_private = is_private or request.user.is_authenticated
        if is_private and not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response
