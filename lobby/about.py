"""What this place is: who runs it and who answers complaints, as the settings tell it; its pages, terms and safety."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from wallet.language import gettext as _


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """Who runs the place, and the person there who answers complaints; each empty where it is not told."""

    name: str = ""
    address: str = ""
    email: str = ""
    officer: str = ""
    officer_address: str = ""
    officer_contact: str = ""
    next_instance: str
    certificate: str = ""
    minimum_age: int

    @property
    def is_named(self) -> bool:
        """Return whether all is told that must be: otherwise this is a trial, and the pages say so."""
        return all((self.name, self.address, self.email, self.officer, self.officer_address, self.officer_contact))


def operator() -> Operator:
    """Return what the settings tell; the next instance is the Online Gaming Authority unless they name another."""
    told = {name: text for name, text in settings.OPERATOR.items() if text}
    instance = told.pop("next_instance", "") or _("Online Gaming Authority")
    return Operator(**told, next_instance=instance, minimum_age=settings.MINIMUM_AGE)


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Show the page of that name, with the amounts that it tells."""
    given = {"welcome": settings.SIGN_UP_CHIPS, "level": settings.REFILL_LEVEL}
    return render(request, f"lobby/about/{name}.html", given)
