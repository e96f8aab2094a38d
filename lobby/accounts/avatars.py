"""The pictures that players may show beside their name, drawn for this platform."""

from django.templatetags.static import static

from wallet.language import worded_later

#: What each picture shows, by its key, which is also its file name in static/img/avatars.
AVATARS = {
    "banyan": worded_later("Banyan tree"),
    "boat": worded_later("Sailing boat"),
    "camel": worded_later("Camel"),
    "chai": worded_later("Glass of chai"),
    "cobra": worded_later("Cobra"),
    "diya": worded_later("Oil lamp"),
    "elephant": worded_later("Elephant"),
    "kite": worded_later("Kite"),
    "lotus": worded_later("Lotus"),
    "mango": worded_later("Mango"),
    "moon": worded_later("Moon and stars"),
    "mountain": worded_later("Mountains"),
    "parrot": worded_later("Parrot"),
    "peacock": worded_later("Peacock"),
    "rickshaw": worded_later("Auto rickshaw"),
    "sitar": worded_later("Sitar"),
    "sun": worded_later("Sun"),
    "tabla": worded_later("Tabla"),
    "tiger": worded_later("Tiger"),
    "turban": worded_later("Turban and moustache"),
}


def avatar_address(key: str) -> str:
    """Return the address of the picture; empty where there is none of that key."""
    return static(f"img/avatars/{key}.svg") if key in AVATARS else ""
