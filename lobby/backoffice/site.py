"""The site of staff: Django's admin with the platform's own sign-in and its trail."""

from functools import wraps
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.template.response import SimpleTemplateResponse
from django.urls import reverse
from django.utils import timezone

from lobby.accounts.forms import SignInForm
from lobby.accounts.models import Player
from lobby.accounts.views import PasswordChangePage
from lobby.backoffice.work_queue import recount, todays_figures
from lobby.two_factor.sessions import open_without_code
from wallet.base.report_zone import zone


class StaffSite(admin.AdminSite):
    """Every page under /admin/."""

    site_header = "Thirteen · staff"
    site_title = "Thirteen"
    index_title = "What waits"
    # The admin's own form would not count failures.
    login_form = SignInForm

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Show the first page: what waits for this person, and the figures of the day."""
        assert isinstance(request.user, Player)
        waiting = recount(request.user)
        context = {
            "waiting": waiting,
            "staff_waiting": sum(item.count for item in waiting),
            "today": todays_figures(request.user),
        }
        return super().index(request, {**context, **(extra_context or {})})

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Show the page in the time zone of reports, like every page of the platform."""
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def in_report_zone(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            with timezone.override(zone()):
                response = inner(request, *args, **kwargs)
                # Django would render the template later, in another time zone.
                return response.render() if isinstance(response, SimpleTemplateResponse) else response

        return in_report_zone

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Sign in by the form of every page; 429 after too many failures."""
        response: Any = super().login(request, extra_context)
        if isinstance(response, SimpleTemplateResponse) and (response.context_data or {})["form"].too_many:
            response.status_code = 429
        return response

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Change one's own password, on the page of every player in the frame of this site."""
        page = PasswordChangePage.as_view(
            success_url=reverse("admin:password_change_done"),
            template_name="registration/password_change_form.html",
            extra_context={**self.each_context(request), **(extra_context or {})},
        )
        return page(request)

    @open_without_code
    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Sign out; this needs no code of the second factor."""
        return super().logout(request, extra_context)
