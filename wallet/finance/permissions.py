"""Who may see the finance pages and export the ledger."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

VIEW, LIFT = "wallet.view_finance", "wallet.lift_freeze"
FinanceView = Callable[..., HttpResponseBase]


def allowed(user: AbstractBaseUser | AnonymousUser, permission: str = VIEW) -> bool:
    """Return whether the user is staff and has the permission; the permission alone is not enough."""
    return bool(getattr(user, "is_staff", False) and getattr(user, "has_perm", lambda _: False)(permission))


class Finance(BasePermission):
    message = "Only staff of finance may see this."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return allowed(request.user)


class NotFromElsewhere(BasePermission):
    """Refuses a browser that a page of another site has sent here, with the session of whoever sits before it.

    A GET carries no CSRF token, and this one leaves a record. Browsers of today name the site by themselves; of an
    older one the Referer tells. A program sends neither, and nobody can make it follow a link.
    """

    message = "Open this from a page of this site."

    def has_permission(self, request: Request, view: APIView) -> bool:
        site, referer = request.headers.get("Sec-Fetch-Site"), request.headers.get("Referer")
        if site is not None:
            return site in ("same-origin", "none")
        return referer is None or urlsplit(referer).netloc == request.get_host()


def finance_only(view: FinanceView, permission: str = VIEW) -> FinanceView:
    """Show the page to staff with the permission; others must sign in, or get a 403."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not allowed(request.user, permission):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return login_required(checked)
