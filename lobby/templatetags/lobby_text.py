"""Players and cards in templates."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import escape, format_html

from lobby.accounts.models import Player
from rules import cards
from rules.game.views.sentences import face_name
from tables.language import translated
from tables.models import Deal
from wallet.language import gettext as _

register = template.Library()


@register.inclusion_tag("lobby/avatar.html")
def avatar(player: Player, size: int = 34) -> dict[str, Any]:
    """Show the player's picture, or the first letter of their name, `size` pixels wide."""
    return {"address": player.avatar_url, "letter": player.shown_name[:1].upper(), "size": size}


@register.simple_tag
def player_name(name: str, has_page: bool = True) -> str:
    """Write the name of a player, as a link where they have a profile page."""
    return format_html('<a href="{}">{}</a>', reverse("lobby:profile", args=[name]), name) if has_page else escape(name)


@register.simple_tag
def pages_of(deal: Deal, reader: Player) -> list[Player]:
    """Return the others of the deal who have a profile page."""
    others = Player.objects.filter(deals__deal=deal, has_profile=True).exclude(pk=reader.pk).order_by("pk")
    return [player for player in others if player.has_page]


def card_name(face: str) -> str:
    """Return the name of a card in words, such as `7 of hearts`."""
    return _("joker") if face == cards.JOKER else translated(face_name(face))


@register.inclusion_tag("lobby/card.html")
def card(face: str, wild: int = 0, cost: int = 0) -> dict[str, Any]:
    """Draw one small card; `wild` is the rank that is wild in the example, 0 for none.

    `cost` is what it counts in a result.
    """
    is_printed = face == cards.JOKER
    rank, suit = ("", "") if is_printed else (face[:-1], face[-1])
    is_wild = not is_printed and cards.rank(face) == wild
    name = card_name(face)
    return {
        "rank": rank,
        "suit": suit,
        "printed": is_printed,
        "wild": is_wild,
        "name": _("{name}, wild", name=name) if is_wild else name,
        "cost": cost,
    }
