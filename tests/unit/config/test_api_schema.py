"""What the schema of the API tells other programs is what the API does."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from tests.support.players import signed_up
from tests.support.program import Program

pytestmark = pytest.mark.django_db

#: The texts of requests that may be empty.
MAY_BE_EMPTY = {"code", "move", "note", "currency"}


@pytest.fixture(scope="module")
def schema(django_db_setup: None) -> dict[str, Any]:
    answer = Client().get("/api/schema/", headers={"accept": "application/vnd.oai.openapi+json"})
    described: dict[str, Any] = answer.json()
    return described


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, by_method in schema["paths"].items():
        for method, operation in by_method.items():
            yield f"{method.upper()} {path}", operation


def test_each_operation_tells_the_body_of_whatever_else_refuses_it(schema: dict[str, Any]) -> None:
    bodies = [operation["responses"]["default"]["content"] for _, operation in operations(schema)]
    assert len(bodies) > 60
    assert all(body["application/json"]["schema"]["$ref"].endswith("/RefusalBody") for body in bodies)
    refusal = schema["components"]["schemas"]["RefusalBody"]["properties"]
    for refused in (Program().get("finance/days/"), Program().get("deals/7/"), Program().post("practice/", {})):
        assert refused[0] >= 400 and refusal.keys() >= refused[1].keys() >= {"code", "message"}


def test_an_empty_parameter_is_left_out_as_the_schema_says(schema: dict[str, Any]) -> None:
    asha, asked = Client(), 0
    asha.force_login(signed_up("asha"))
    for name, operation in operations(schema):
        optional = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
        method, path = name.split(" /api/")
        if method == "GET" and "{" not in path and "finance" not in path and "players" not in path and optional:
            assert all(each["allowEmptyValue"] for each in optional)
            assert asha.get(f"/api/{path}", {each["name"]: "" for each in optional}).status_code != 400, path
            asked += 1
    assert asked > 5


def test_a_text_that_may_not_be_empty_has_a_least_length(schema: dict[str, Any]) -> None:
    shapes = schema["components"]["schemas"]
    for name, operation in operations(schema):
        for body in operation.get("requestBody", {}).get("content", {}).values():
            for field, told in shapes[body["schema"]["$ref"].rpartition("/")[2]]["properties"].items():
                is_free = told.get("type") == "string" and not told.keys() & {"enum", "format", "minLength"}
                assert not is_free or field in MAY_BE_EMPTY, (name, field)


def test_what_anybody_reads_asks_for_no_account(schema: dict[str, Any]) -> None:
    for name, operation in operations(schema):
        method, path = name.split(" /api/")
        if method == "GET" and "{" not in path:
            status = Client().get(f"/api/{path}").status_code
            assert ({} in operation.get("security", [{}])) == (status not in (401, 403)), name


def test_files_come_as_the_types_that_the_schema_names(schema: dict[str, Any]) -> None:
    asha = Client()
    asha.force_login(signed_up("asha"))
    for path in ("/api/history/download/", "/api/wallet/statement/download/"):
        operation = schema["paths"][path]["get"]
        [told] = [each for each in operation["parameters"] if each["name"] == "format"]
        formats = told["schema"]["enum"]
        types = {asha.get(path, {"format": each})["Content-Type"].partition(";")[0] for each in formats}
        assert types == operation["responses"]["200"]["content"].keys()
