"""A program that speaks to the API: requests as JSON, with a token or without."""

import json
from typing import Any

from django.test import Client
from rest_framework.authtoken.models import Token

from lobby.models import Player
from wallet.keys.api_tokens import token_text


class Program:
    """A client of the API: `program("POST", "lobby/", {...})` answers (status, content)."""

    def __init__(self, player: Player | None = None, **client: Any) -> None:
        self.client = Client(**client)
        self.headers = {}
        if player:
            row, _ = Token.objects.get_or_create(user=player)
            self.headers = {"authorization": f"Token {token_text(row)}"}

    def __call__(self, method: str, path: str, content: Any = None, **headers: str) -> tuple[int, Any]:
        answer = self.client.generic(
            method,
            f"/api/{path}",
            "" if content is None else json.dumps(content),
            content_type="application/json",
            headers={**self.headers, **headers},
        )
        return answer.status_code, answer.json() if answer.content else None

    def get(self, path: str) -> tuple[int, Any]:
        return self("GET", path)

    def post(self, path: str, content: dict[str, Any] | None = None, **headers: str) -> tuple[int, Any]:
        return self("POST", path, content or {}, **headers)
