"""The ASGI application of a web process: HTTP and sockets."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
_http = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402  Django must be set up first

from config.health.probes import Probes  # noqa: E402
from config.proxy_headers import ProxyHeaders  # noqa: E402
from config.sockets import sockets  # noqa: E402

application = ProxyHeaders(Probes(ProtocolTypeRouter({"http": _http, "websocket": sockets})))
