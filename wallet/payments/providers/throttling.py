"""How often one address may send what it says a gateway says."""

from wallet.base.throttling import AddressThrottle


class WebhookThrottle(AddressThrottle):
    """The rate `webhook`, counted before anything of the message is read: 429, and gateways try again."""

    scope = "webhook"
