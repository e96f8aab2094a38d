"""What a player takes out of the platform: their file, and its rows."""

import csv
import io
import json
import zipfile
from typing import Any

from django.test import Client

from tests.support.finance import body


def own_data(client: Client) -> dict[str, Any]:
    answer = client.post("/account/data/")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(body(answer))) as archive:
        return dict(json.loads(archive.read("data.json")))


def content(answer: Any) -> str:
    return body(answer).decode()


def rows_of(answer: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content(answer))))
