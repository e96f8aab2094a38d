"""How often one address may send what it says a gateway says."""

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView


class WebhookThrottle(SimpleRateThrottle):
    """The rate `webhook`, counted by address before anything of the message is read: 429, and gateways try again."""

    scope = "webhook"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        return f"throttle-webhook-{self.get_ident(request)}"
