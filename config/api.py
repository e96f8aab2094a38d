"""What every API answer has in common: errors as `{code, message, fields?}`, lists by cursor."""

from typing import Any

from rest_framework import exceptions
from rest_framework.pagination import CursorPagination
from rest_framework.response import Response
from rest_framework.views import exception_handler


class ApiError(exceptions.APIException):
    """A refusal with a code of its own: 400 for what was asked wrongly, 409 for what is not possible now."""

    def __init__(self, code: str, message: str, *, status: int = 409) -> None:
        super().__init__(detail=message, code=code)
        self.status_code = status


class Pages(CursorPagination):
    """Newest first, 50 to a page; `cursor` in the query asks for the next."""

    page_size = 50
    ordering = "-id"


def explain(error: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's own handler, its answer reshaped to `{code, message, fields?}`."""
    response = exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        response.data = {
            "code": "invalid",
            "message": "Some of what was sent is not right.",
            "fields": error.get_full_details(),
        }
        return response
    detail = error.detail if isinstance(error, exceptions.APIException) else None
    response.data = {
        "code": getattr(detail, "code", None) or {404: "not_found", 403: "permission_denied"}.get(response.status_code, "error"),
        "message": str(detail) if detail is not None else {404: "There is nothing here.", 403: "You may not do that."}.get(response.status_code, "That did not work."),
    }
    return response
