"""The staff's page of the platform's health: the report and the figures, read-only."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template.response import TemplateResponse
from django.urls import path

from config.health import figures, report
from config.health.models import Heartbeat
from wallet.backoffice.read_only import ReadOnly


@admin.register(Heartbeat)
class HealthAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    def get_urls(self) -> list[Any]:
        """Return the address of the page, which is whole, or with `?part=1` only the part that refreshes itself."""
        return [path("", self.admin_site.admin_view(self.page), name="health_heartbeat_changelist")]

    def page(self, request: HttpRequest) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        parts = report.report()
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Health",
            "parts": [(part, None if part.age_ms is None else f"{part.age_ms / 1000:.1f} s") for part in parts],
            "ok": all(part.ok for part in parts),
            "groups": self._groups(parts),
        }
        template = "staff/_health.html" if request.GET.get("part") else "staff/health.html"
        response = TemplateResponse(request, template, context)
        response["Cache-Control"] = "no-store"
        return response

    def _groups(self, parts: list[report.Part]) -> list[tuple[str, list[figures.Line]]]:
        if not parts[0].ok:
            return []
        return [("The platform", figures.platform()), ("This web process, since it started", figures.process())]
