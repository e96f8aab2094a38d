"""What every API answer has in common: errors as `{code, message, fields?}`."""

import json
import logging
from typing import Any

from django.db import InterfaceError, OperationalError
from rest_framework import exceptions, status
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import exception_handler, set_rollback

from config.errors import BUSY, RETRY_AFTER
from rules.errors import RulesError
from tables.language import translate_content
from wallet.base.errors import Refusal, RefusalBody, TooBusy, TooMany
from wallet.language import gettext as _, gettext_lazy

log = logging.getLogger(__name__)

_WORDS = {
    status.HTTP_403_FORBIDDEN: ("permission_denied", gettext_lazy("You may not do that.")),
    status.HTTP_404_NOT_FOUND: ("not_found", gettext_lazy("There is nothing here.")),
}


class TranslatingRenderer(JSONRenderer):
    """JSON whose sentences from the rules are translated into the language of the request."""

    def render(self, data: Any, *args: Any, **kwargs: Any) -> Any:
        return super().render(translate_content(data), *args, **kwargs)


class StrictJSONParser(JSONParser):
    """JSON that can be written down again: neither nested beyond all measure nor with half a character in it."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        try:
            parsed = super().parse(stream, media_type, parser_context)
            json.dumps(parsed, ensure_ascii=False).encode()
        except (RecursionError, UnicodeEncodeError) as error:
            raise exceptions.ParseError(_("JSON parse error - nested too deeply, or no Unicode")) from error
        return parsed


def explain(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the answer to an exception in an API view; None, and so a 500, for one that is a fault of ours."""
    if isinstance(error, Refusal | RulesError):
        set_rollback()
        code = error.status if isinstance(error, Refusal) else status.HTTP_409_CONFLICT
        headers = {"Retry-After": str(error.retry_after)} if isinstance(error, TooMany) else {}
        return Response(RefusalBody(code=error.code, message=error.message), status=code, headers=headers)
    if isinstance(error, OperationalError | InterfaceError | TooBusy):
        if not isinstance(error, TooBusy):
            log.exception("the database did not answer")
        set_rollback()
        return Response(BUSY, status=status.HTTP_503_SERVICE_UNAVAILABLE, headers={"Retry-After": str(RETRY_AFTER)})
    response = exception_handler(error, context)
    if response is not None:
        response.data = _content(error, response.status_code)
    return response


def _content(error: Exception, code: int) -> dict[str, Any]:
    if isinstance(error, exceptions.ValidationError):
        message = _("Some of what was sent is not right.")
        return {"code": "invalid", "message": message, "fields": error.detail}
    if isinstance(error, exceptions.APIException) and not isinstance(error.detail, list | dict):
        return {"code": error.detail.code, "message": str(error.detail)}
    name, message = _WORDS.get(code, ("error", _("That did not work.")))
    return {"code": name, "message": message}


def describe_the_common(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Let each operation of the schema tell what all have in common.

    That is the body of the refusals that it does not name, such as of too many requests; and that an empty parameter is
    left out.
    """
    body = {"schema": {"$ref": f"#/components/schemas/{RefusalBody.__name__}"}}
    refused = {"description": "Refused; nothing was changed.", "content": {"application/json": body}}
    for operation in (each for operations in result["paths"].values() for each in operations.values()):
        operation["responses"].setdefault("default", refused)
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "query" and not parameter.get("required"):
                parameter["allowEmptyValue"] = True
    return result
