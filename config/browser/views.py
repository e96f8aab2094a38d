"""What everybody gets alike: the web app manifest, the page without a connection, the description of the API."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_cookie
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request

from lobby.two_factor.sessions import open_without_code
from tables.history.kept import as_response, kept
from wallet.language import gettext as _


@open_without_code
@require_safe
@cache_control(max_age=3600, private=True)
@vary_on_cookie
def manifest(request: HttpRequest) -> JsonResponse:
    """Return the web app manifest: name, icons, colours and start page, in the reader's language."""
    icons = [
        {"src": static(f"img/app-{name}.png"), "sizes": size, "type": "image/png", "purpose": purpose}
        for name, size, purpose in (
            ("192", "192x192", "any"),
            ("512", "512x512", "any"),
            ("maskable-512", "512x512", "maskable"),
        )
    ]
    content = {
        "id": "/",
        "lang": get_language() or "en",
        "name": _("Thirteen: 13-card rummy"),
        "short_name": "Thirteen",
        "description": _("Indian rummy at live tables, for fun chips."),
        "start_url": reverse("lobby:lobby"),
        "scope": "/",
        "display": "standalone",
        "background_color": "#0e1512",
        "theme_color": "#0e1512",
        "icons": icons,
    }
    return JsonResponse(content, content_type="application/manifest+json")


@open_without_code
@require_safe
@cache_control(max_age=3600)
def offline(request: HttpRequest) -> HttpResponse:
    """Show the page that the service worker shows when another cannot be reached; it contains no personal data."""
    return render(request, "offline.html")


class Schema(SpectacularAPIView):
    """The description of the API, made by a process once for each format and language."""

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
