"""What every template may know of the player."""

from django.http import HttpRequest


def player(request: HttpRequest) -> dict[str, object]:
    """Nothing yet beyond what authentication gives."""
    return {}
