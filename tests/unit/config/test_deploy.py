"""The files for deployment agree with the code and with each other."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.urls import reverse

from config.settings import base, production_checks
from tests.unit.config import supply

DEPLOY = Path(__file__).resolve().parents[3] / "config" / "deploy"
UNITS = ("rummy-web@.service", "rummy-worker@.service", "rummy-beat.service")


#: What the compose file decides itself, and what is for rehearsals only.
NOT_IN_COMPOSE = {"RUMMY_DATA"}


def services() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return read


def test_the_compose_file_starts_what_the_procfile_does() -> None:
    processes = {line.partition(":")[0] for line in (DEPLOY / "Procfile").read_text().splitlines()}
    assert processes == {"release", "web", "worker", "beat"}
    assert {"certificates", "migrate", "web1", "web2", "worker", "beat", "database", "redis", "proxy"} == set(
        services()
    )
    assert all(services()[name]["image"] == "rummy" for name in ("migrate", "web1", "web2", "worker", "beat"))
    assert "noeviction" in services()["redis"]["command"][-1]
    assert services()["worker"]["deploy"] == {"replicas": 2}
    assert services()["beat"].get("deploy") is None, "one beat only"


@pytest.mark.parametrize("name", ["web1", "web2", "worker", "beat"])
def test_every_variable_of_production_can_be_set_for_the_compose_file(name: str) -> None:
    """This includes keys: a key is changed in steps, each of which needs one more variable."""
    environment = services()[name]["environment"]
    assert set(environment) == production_checks.known() - NOT_IN_COMPOSE
    assert "rummy_serving:${SERVING_PASSWORD" in environment["RUMMY_DATABASE_URL"]
    assert "POSTGRES_PASSWORD" not in str(environment), "the owner's password is no business of what serves"


def test_redis_and_postgresql_ask_for_a_password_and_are_reached_by_tls() -> None:
    shared = services()["web1"]["environment"]
    assert shared["RUMMY_REDIS_URL"].startswith("rediss://:${REDIS_PASSWORD:?")
    for service in ("web1", "migrate"):
        assert "sslmode=verify-full&sslrootcert=" in services()[service]["environment"]["RUMMY_DATABASE_URL"]
    started = services()["redis"]["command"][-1]
    assert "requirepass $$REDIS_PASSWORD" in started and "--port 0 --tls-port 6379" in started
    assert "ssl=on" in services()["database"]["command"]


@pytest.mark.parametrize("name", sorted(services()))
def test_every_service_is_confined(name: str) -> None:
    service = services()[name]
    confined = service["cap_drop"], service["security_opt"], service["read_only"]
    assert confined == (
        ["ALL"], ["no-new-privileges:true"], True,
    )  # fmt: skip
    may = {"proxy": {"CHOWN", "NET_BIND_SERVICE", "SETGID", "SETUID"}, "certificates": {"CHOWN"}}
    assert set(service.get("cap_add", [])) == may.get(name, set())
    assert ("mem_limit" in service) == (name in {"web1", "web2", "worker", "beat"})


def test_the_code_in_the_image_belongs_to_another_user_than_the_one_who_serves() -> None:
    written = (DEPLOY / "Dockerfile").read_text()
    assert "--chown" not in written
    assert written.index("COPY") < written.index("config.bootstrap") < written.index("\nUSER rummy")


@pytest.mark.parametrize("name", UNITS)
def test_every_unit_is_confined(name: str) -> None:
    lines = (DEPLOY / name).read_text().splitlines()
    demanded = {"NoNewPrivileges=yes", "PrivateDevices=yes", "ProtectSystem=strict", "CapabilityBoundingSet="}
    demanded |= {"SystemCallFilter=@system-service", "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX"}
    assert demanded <= set(lines)
    assert any(line.startswith("MemoryMax=") for line in lines)


@pytest.mark.parametrize("name", ["rummy_web", "rummy_tables"])
def test_each_web_process_of_the_compose_file_is_known_to_nginx(name: str) -> None:
    upstream = _between(f"upstream {name} {{", "}", (DEPLOY / "nginx.conf").read_text())
    servers = re.findall(r"^ *server (.*);", upstream, re.M)
    assert servers == ["web1:8000 max_fails=0", "web2:8000 max_fails=0"]
    addresses = [f"{web}:{services()[web]['networks']['default']['ipv4_address']}" for web in ("web1", "web2")]
    assert services()["proxy"]["extra_hosts"] == addresses


def test_the_image_contains_no_local_files() -> None:
    patterns = (DEPLOY.parent.parent / ".dockerignore").read_text().splitlines()
    written = [re.compile(_as_regex(pattern)) for pattern in patterns if pattern and not pattern.startswith("#")]

    def is_left_out(path: str) -> bool:
        return any(pattern.match(path) for pattern in written)

    for path in (".git/config", ".venv/bin/python", "var/rummy.sqlite3", "var/secret.key", "production.env", ".env",
                 "config/deploy/production.env", "tls/site.key", "rummy.dump", "lobby/__pycache__/a.pyc"):  # fmt: skip
        assert is_left_out(path), path
    assert [path for path, _ in supply.tracked() if is_left_out(path)] == []


def _as_regex(pattern: str) -> str:
    """Return Docker's pattern as a regex: from the root, `**/` for any folders, with everything inside a folder."""
    parts = re.escape(pattern).replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*")
    return f"{parts}(/|$)"


def test_units_are_watched_and_their_commands_are_those_of_the_procfile() -> None:
    procfile = (DEPLOY / "Procfile").read_text()
    for name in UNITS:
        unit = (DEPLOY / name).read_text()
        assert "Type=notify" in unit and "WatchdogSec=" in unit and "Restart=always" in unit
        assert "StartLimitIntervalSec=0" in unit, "a process that may not start yet is not given up"
        command = re.search(r"ExecStart=/srv/rummy/(\S+ \S+ \S+ \S+)", unit)
        assert command is not None and command.group(1).replace("%i", "") in procfile.replace("${PORT:-8000}", "")


def test_the_proxy_overwrites_whatever_a_client_says_of_itself() -> None:
    """In every location: one that sets a header of its own inherits none of them."""
    server, *locations = (DEPLOY / "nginx.conf").read_text().partition("listen 443")[2].split("\n    location ")
    for header in ("Host $http_host", "X-Forwarded-For $remote_addr", "X-Forwarded-Proto $scheme",
                   'X-Forwarded-Host ""', 'Daphne-Root-Path ""'):  # fmt: skip
        assert f"proxy_set_header {header};" in server
    assert [location for location in locations if "proxy_set_header" in location] == []
    assert "= /metrics { deny all; }\n" in locations


def test_nginx_lets_as_many_connections_in_as_the_platform() -> None:
    nginx = (DEPLOY / "nginx.conf").read_text()
    limits = re.findall(r"limit_conn by_address (\d+);", nginx)
    assert set(limits) == {str(base.SOCKETS_PER_ADDRESS)}
    assert "limit_conn" not in re.sub("#.*", "", _between("location /ws/ {", "}", nginx))


def test_upgrading_gives_the_serving_role_its_rights_before_new_code_runs() -> None:
    text = _between("**Upgrading.**", "\n\n", (DEPLOY / "README.md").read_text())
    assert 0 < text.index("`migrate`") < text.index("`database_role") < text.index("restart")


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
    readme = (DEPLOY / "README.md").read_text() + (DEPLOY.parents[1] / "wallet/README.md").read_text()
    assert sorted(name for name in production_checks.known() if f"`{name}" not in readme) == []
