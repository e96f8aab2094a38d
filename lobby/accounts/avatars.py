"""The pictures that players may show beside their name, drawn for this platform."""

from django.templatetags.static import static

from wallet.language import gettext_lazy

#: What each picture shows, by its key, which is also its file name in static/img/avatars.
AVATARS = {
    "banyan": gettext_lazy("Banyan tree"),
    "boat": gettext_lazy("Sailing boat"),
    "camel": gettext_lazy("Camel"),
    "chai": gettext_lazy("Glass of chai"),
    "cobra": gettext_lazy("Cobra"),
    "diya": gettext_lazy("Oil lamp"),
    "elephant": gettext_lazy("Elephant"),
    "kite": gettext_lazy("Kite"),
    "lotus": gettext_lazy("Lotus"),
    "mango": gettext_lazy("Mango"),
    "moon": gettext_lazy("Moon and stars"),
    "mountain": gettext_lazy("Mountains"),
    "parrot": gettext_lazy("Parrot"),
    "peacock": gettext_lazy("Peacock"),
    "rickshaw": gettext_lazy("Auto rickshaw"),
    "sitar": gettext_lazy("Sitar"),
    "sun": gettext_lazy("Sun"),
    "tabla": gettext_lazy("Tabla"),
    "tiger": gettext_lazy("Tiger"),
    "turban": gettext_lazy("Turban and moustache"),
}


def avatar_address(key: str) -> str:
    """Return the address of the picture; empty where there is none of that key."""
    return static(f"img/avatars/{key}.svg") if key in AVATARS else ""
