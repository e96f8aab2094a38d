"""Which socket path leads to which consumer, behind the Origin check and the sign-in."""

from channels.routing import URLRouter
from django.urls import path

from lobby.consumers import LobbyConsumer
from tables.consumers import TableConsumer
from tables.measures import Counted
from tables.sign_in import SocketSignIn

routes = [
    path("ws/tables/<int:table_id>/", Counted("table", TableConsumer.as_asgi())),
    path("ws/lobby/", Counted("lobby", LobbyConsumer.as_asgi())),
]
sockets = SocketSignIn(URLRouter(routes))
