"""The rate limit of the webhook, by address."""

from wallet.base.throttling import AddressThrottle


class WebhookThrottle(AddressThrottle):
    """The rate `webhook`, counted before the message is read; after a 429, gateways try again."""

    scope = "webhook"
