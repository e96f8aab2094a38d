"""The pictures that players may show beside their name: a set of the house's own drawing."""

from django.templatetags.static import static

#: By key, which is also the name of the file in static/img/avatars: what is seen there.
AVATARS = {
    "banyan": "Banyan tree",
    "boat": "Sailing boat",
    "camel": "Camel",
    "chai": "Glass of chai",
    "cobra": "Cobra",
    "diya": "Oil lamp",
    "elephant": "Elephant",
    "kite": "Kite",
    "lotus": "Lotus",
    "mango": "Mango",
    "moon": "Moon and stars",
    "mountain": "Mountains",
    "parrot": "Parrot",
    "peacock": "Peacock",
    "rickshaw": "Auto rickshaw",
    "sitar": "Sitar",
    "sun": "Sun",
    "tabla": "Tabla",
    "tiger": "Tiger",
    "turban": "Turban and moustache",
}


def avatar_address(key: str) -> str:
    """Return the address of the picture; empty for who has chosen none."""
    return static(f"img/avatars/{key}.svg") if key in AVATARS else ""
