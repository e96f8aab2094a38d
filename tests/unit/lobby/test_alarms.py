"""Alarms and dashboard use metrics that exist, and the README says what to do about each alarm."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from channels.db import database_sync_to_async
from channels.testing import HttpCommunicator
from prometheus_client.parser import text_string_to_metric_families

from config.asgi import application
from config.health import heartbeats
from tables.models import Table

DEPLOY = Path(__file__).resolve().parents[3] / "config/deploy"
#: What Prometheus itself knows of each target.
ITS_OWN = {"up"}
#: Words of its language, as far as they are used here.
WORDS = {"by", "or", "sum", "min", "max", "rate", "increase", "deriv", "histogram_quantile", "vector"}


def alarms() -> list[dict[str, Any]]:
    groups = yaml.safe_load((DEPLOY / "alerts.yaml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads((DEPLOY / "dashboard.json").read_text())["panels"]
    return read


def questions() -> Iterator[str]:
    yield from (rule["expr"] for rule in alarms())
    yield from (target["expr"] for panel in panels() for target in panel["targets"])


def measures_in(question: str) -> set[str]:
    """Return the names of metrics: what is left without matchers, groupings, durations, numbers and functions."""
    names = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)", " ", question)
    return set(re.findall(r"[a-z_]{2,}", re.sub(r"\b[0-9.]+(e[0-9]+)?\b", " ", names))) - WORDS


def matched(label: str) -> set[str]:
    """Return the values of the label in any expression."""
    matches = (match for question in questions() for match in re.findall(rf'\b{label}=~?"([^"]*)"', question))
    return {value for match in matches for value in match.split("|")}


async def exported_samples() -> dict[str, list[dict[str, str]]]:
    """Return the labels of each sample of /metrics by name; families without samples have none."""
    asking = HttpCommunicator(application, "GET", "/metrics")
    asking.scope["client"] = ["127.0.0.1", 5000]
    answer = await asking.get_response(timeout=60)
    samples: dict[str, list[dict[str, str]]] = {}
    for family in text_string_to_metric_families(answer["body"].decode()):
        samples.setdefault(f"{family.name}_total" if family.type == "counter" else family.name, [])
        for ending in ("_bucket", "_sum", "_count") if family.type == "histogram" else ():
            samples.setdefault(family.name + ending, [])
        for sample in family.samples:
            samples.setdefault(sample.name, []).append(sample.labels)
    return samples


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_alarms_and_dashboard_query_exported_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "_written", {})
    await database_sync_to_async(heartbeats.record_heartbeats)("beat", "worker", "sweep")
    measures = await exported_samples()
    queried = set().union(*map(measures_in, questions()))
    assert len(queried) > 15
    assert queried - ITS_OWN - set(measures) == set()
    assert matched("part") <= {labels["part"] for labels in measures["rummy_part_up"]}
    assert {"database", "layer", "beat", "worker", "sweep", "deadlines", "moves", "calls"} <= matched("part")


def test_alarms_use_existing_label_values() -> None:
    assert matched("status") <= set(Table.Status.values)
    assert matched("outcome") == {"failed"} and matched("verdict") == {"fault"} and matched("job") == {"rummy"}


def test_each_alarm_says_what_is_wrong_and_the_readme_what_to_do() -> None:
    readme = (DEPLOY / "README.md").read_text()
    names = [rule["alert"] for rule in alarms()]
    assert re.findall(r"^### (Rummy\w+)$", readme, re.M) == names
    assert all(rule["labels"]["severity"] in {"page", "look"} and rule["annotations"]["summary"] for rule in alarms())


def test_every_panel_has_a_place_of_its_own() -> None:
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels())
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in panels()}) == len(panels())
