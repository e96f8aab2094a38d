"""The lobby's socket."""

from channels.generic.websocket import AsyncJsonWebsocketConsumer


class LobbyConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """Pushes stakes as they change; what a client sends is ignored."""
