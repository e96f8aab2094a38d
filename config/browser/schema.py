"""The description of the API, which is the same for everybody as long as this process runs."""

from typing import Any

from django.http import HttpResponse
from django.utils.encoding import force_bytes
from django.utils.translation import get_language
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request

from tables.history.kept import as_response, kept


class Schema(SpectacularAPIView):
    """The description of the API, made once for each format and language."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return the OpenAPI schema of all calls, as YAML or JSON."""
        renderer = request.accepted_renderer
        media_type = f"{renderer.media_type}; charset={renderer.charset or 'utf-8'}"

        def rendered() -> bytes:
            generator: Any = self.generator_class(urlconf=self.urlconf, patterns=self.patterns)
            return force_bytes(renderer.render(generator.get_schema(request, public=True), media_type, {}))

        response = as_response(request, kept(("schema", media_type, get_language()), rendered), media_type)
        response["Content-Disposition"] = f'inline; filename="schema.{renderer.format}"'
        return response
