"""Methods that a page knows nothing of: HEAD as GET, OPTIONS, and a page instead of an empty 405."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import render


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
