"""The site of staff: Django's admin with the platform's own sign-in and its trail."""

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest

from lobby.accounts import services as accounts
from lobby.accounts.forms import SignInForm
from lobby.accounts.models import Player
from lobby.two_factor.sessions import open_without_code


class StaffSite(admin.AdminSite):
    """Every page under /admin/."""

    site_header = "Thirteen · staff"
    site_title = "Thirteen"
    index_title = "What would you like to look after?"
    # The admin's own form would not count failures.
    login_form = SignInForm

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Change one's own password: it enters the trail, and ends every token and socket."""
        with transaction.atomic():
            response = super().password_change(request, extra_context)
            if request.method == "POST" and response.status_code == 302:
                assert isinstance(request.user, Player)
                accounts.sign_out_everywhere(request.user)
                accounts.note_own_password(request)
        return response

    @open_without_code
    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Sign out; who has no code at hand may do that, too."""
        return super().logout(request, extra_context)
