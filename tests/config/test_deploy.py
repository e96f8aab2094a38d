"""The files for deployment agree with the code and with each other."""

import re
from pathlib import Path

import yaml
from django.urls import reverse

from config.settings import demands

DEPLOY = Path(__file__).resolve().parent.parent.parent / "config" / "deploy"
UNITS = ("rummy-web@.service", "rummy-worker.service", "rummy-beat.service")


def test_the_compose_file_starts_what_the_procfile_does() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    told = {line.partition(":")[0] for line in (DEPLOY / "Procfile").read_text().splitlines()}
    assert told == {"release", "web", "worker", "beat"}
    assert {"migrate", "web", "worker", "beat", "database", "redis", "proxy"} == set(services)
    for name in ("migrate", "web", "worker", "beat"):
        assert services[name]["image"] == "rummy"
        assert set(services[name]["environment"]) <= demands.KNOWN
    assert "noeviction" in services["redis"]["command"]
    assert services["beat"].get("deploy") is None, "one beat only"


def test_units_are_watched_and_their_commands_are_those_of_the_procfile() -> None:
    procfile = (DEPLOY / "Procfile").read_text()
    for name in UNITS:
        unit = (DEPLOY / name).read_text()
        assert "Type=notify" in unit and "WatchdogSec=" in unit and "Restart=always" in unit
        assert "StartLimitIntervalSec=0" in unit, "a process that may not start yet is not given up"
        command = re.search(r"ExecStart=/srv/rummy/(\S+ \S+ \S+ \S+)", unit)
        assert command is not None and command.group(1).replace("%i", "") in procfile.replace("${PORT:-8000}", "")


def test_the_proxy_overwrites_whatever_a_client_says_of_itself() -> None:
    nginx = (DEPLOY / "nginx.conf").read_text()
    for header in ("X-Forwarded-For $remote_addr", "X-Forwarded-Proto $scheme", 'Daphne-Root-Path ""'):
        assert f"proxy_set_header {header};" in nginx
    assert nginx.count("{") == nginx.count("}")
    assert "location = /metrics { deny all; }" in nginx


def test_nginx_waits_for_an_export_as_long_as_it_takes() -> None:
    slow, _, timeout = _between("location ~ ", "}", (DEPLOY / "nginx.conf").read_text()).partition("proxy_read_timeout")
    assert timeout.split(";")[0].strip() == "30m"
    pattern = re.compile(slow.split(" {")[0])
    for name in ("finance:export_file", "api-finance-export"):
        assert pattern.search(reverse(name))
    assert not pattern.search(reverse("finance:exports"))


def _between(start: str, end: str, text: str) -> str:
    return text.partition(start)[2].partition(end)[0]


def test_every_variable_of_production_is_in_the_readme() -> None:
    readme = (DEPLOY.parent.parent / "README.md").read_text()
    assert sorted(name for name in demands.KNOWN if f"`{name}" not in readme) == []
