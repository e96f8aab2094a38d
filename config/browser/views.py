"""Views of the web app manifest, which makes the site installable, and of the page shown without a connection."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_cookie

from lobby.two_factor.sessions import open_without_code
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
