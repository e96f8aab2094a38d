"""The compose file's own services as processes of this machine, and the shipped nginx files in front of them."""

import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
import redis
import yaml

from config.settings import operator
from tests.checks import KEPT
from tests.support.platform import PATIENCE, ROOT, Platform, free_port, wait_until

DEPLOY = ROOT / "config/deploy"
SERVER = "postgres://root@127.0.0.1:5432"
REDIS = "redis://127.0.0.1:6379/11"
#: The database and the roles have names of their own here: the server may hold an installation.
DATABASE, OWNER, SERVING = "rummy_compose_test", "rummy_compose_owner", "rummy_compose_serving"
WEBS = ("web1", "web2")
#: The name under which clients know the site. Whoever asks for it is led to this machine.
SITE = "play.example"

_VARIABLE = re.compile(r"\$\$|\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}")


def interpolated(text: str, variables: Mapping[str, str]) -> str:
    """Return the text as compose reads it; raise KeyError for a required variable that is missing."""

    def value(match: re.Match[str]) -> str:
        name, default = match.groups()
        if name is None:
            return "$"
        return variables.get(name, "") or default if default is not None else variables[name]

    return _VARIABLE.sub(value, text)


class Composed(Platform):
    """The compose file's services as processes, on this machine's own PostgreSQL and Redis."""

    def __init__(self, data: Path, **variables: str) -> None:
        super().__init__(data)
        self.ports = {name: free_port() for name in WEBS}
        self.port = self.ports["web1"]
        self._given = {
            "RUMMY_SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            "RUMMY_ALLOWED_HOSTS": SITE,
            **dict.fromkeys(operator.NEEDED, "somebody@play.example"),
            "POSTGRES_PASSWORD": "ownersword",
            "SERVING_PASSWORD": "servingword",
            "REDIS_PASSWORD": "redisword",
            "TLS": str(data),
            **variables,
        }
        self._services: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
        self.environment = self.environment_of("web1")

    def environment_of(self, service: str) -> dict[str, str]:
        """Return the service's environment by the compose file, with the variables of the image."""
        own = {name: self._here(value) for name, value in self._services[service]["environment"].items()}
        rest = {name: value for name, value in os.environ.items() if not name.startswith("RUMMY_")}
        here = f"{Path(sys.executable).parent}:{rest['PATH']}"
        image = {"DJANGO_SETTINGS_MODULE": "config.settings.production", "RUMMY_DATA": str(self.data), "PATH": here}
        return rest | KEPT | image | own

    def command_of(self, service: str) -> list[str]:
        """Return the service's command, with the port of this web process."""
        command = [self._here(word) for word in self._services[service]["command"]]
        if service not in WEBS:
            return command
        assert command[-4:] == ["--host", "0.0.0.0", "--port", "8000"]
        return [*command[:-4], "--port", str(self.ports[service])]

    def _here(self, word: str) -> str:
        word = interpolated(word, self._given)
        for theirs, ours in (
            ("?sslmode=verify-full&sslrootcert=/run/tls/database/service.crt", ""),
            ("@database:5432/rummy", f"@127.0.0.1:5432/{DATABASE}"),
            ("postgres://rummy:", f"postgres://{OWNER}:"),
            ("rummy_serving", SERVING),
            ("rediss://:redisword@redis:6379/0?ssl_ca_certs=/run/tls/redis/service.crt", REDIS),
            ("/tmp/beat", str(self.data / "beat")),
        ):
            word = word.replace(theirs, ours)
        return word

    def start(self) -> None:
        """Start every service, and wait until all are healthy."""
        self._make_database()
        redis.Redis.from_url(REDIS).flushdb()
        migrated = subprocess.run(
            self.command_of("migrate"), cwd=ROOT, env=self.environment_of("migrate"), capture_output=True, text=True
        )
        assert migrated.returncode == 0, migrated.stderr
        for name in (*WEBS, "worker", "beat"):
            self.launch(name)
        wait_until(lambda: all(self.is_ready(name) for name in WEBS), self.logs)

    def launch(self, name: str, **more: str) -> None:
        """Start the service, with some variables more."""
        with (self.data / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                self.command_of(name), cwd=ROOT, env=self.environment_of(name) | more, stdout=log, stderr=log
            )

    def restart(self, web: str) -> None:
        """Stop the process as a service manager does, then start it and wait until it answers."""
        process = self.processes.pop(web)
        process.terminate()
        process.wait(PATIENCE)
        self.launch(web)
        wait_until(lambda: self.answers(web, "/healthz"), self.logs)

    def is_ready(self, web: str) -> bool:
        return self.answers(web, "/readyz")

    def answers(self, web: str, path: str) -> bool:
        """Return whether this web process answers 200."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[web]}{path}", timeout=10):
                return True
        except (urllib.error.URLError, OSError):
            return False

    def logs(self) -> str:
        return "\n".join(self.log(name) for name in self.processes)

    def connect(self) -> psycopg.Connection:
        """Open a connection of this machine's own to the database."""
        return psycopg.connect(f"{SERVER}/{DATABASE}", autocommit=True)

    def stop(self) -> None:
        try:
            super().stop()
        finally:
            self._drop_database()

    def _make_database(self) -> None:
        self._drop_database()
        with psycopg.connect(f"{SERVER}/test", autocommit=True) as server:
            # The image's own user of PostgreSQL is a superuser, too.
            server.execute(f"CREATE ROLE {OWNER} SUPERUSER LOGIN")
            server.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER}")

    def _drop_database(self) -> None:
        with psycopg.connect(f"{SERVER}/test", autocommit=True) as server:
            server.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
            for role in (SERVING, OWNER):
                server.execute(f"DROP ROLE IF EXISTS {role}")


#: Where nginx may write here; the shipped files leave it to the distribution.
HERE = """
client_body_temp_path {folder}/body;
proxy_temp_path {folder}/proxy;
fastcgi_temp_path {folder}/fastcgi;
uwsgi_temp_path {folder}/uwsgi;
scgi_temp_path {folder}/scgi;
"""


class Front:
    """nginx with the shipped files and a certificate of its own; only addresses and folders are this machine's."""

    def __init__(self, folder: Path, webs: Mapping[str, int]) -> None:
        self.folder = folder
        self.plain, self.secure = free_port(), free_port()
        self.address = f"https://{SITE}:{self.secure}"
        self.certificate = folder / "tls/site.crt"
        for name in ("tls", "log", "conf.d"):
            (folder / name).mkdir()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={SITE}",
             "-addext", f"subjectAltName=DNS:{SITE}", "-keyout", folder / "tls/site.key", "-out", self.certificate],
            check=True, capture_output=True,
        )  # fmt: skip
        changes = {f"server {name}:8000": f"server 127.0.0.1:{port}" for name, port in webs.items()} | {
            "listen 80": f"listen 127.0.0.1:{self.plain}",
            "listen 443 ssl": f"listen 127.0.0.1:{self.secure} ssl",
            "/etc/nginx/tls/": f"{folder}/tls/",
            "/var/log/nginx/": f"{folder}/log/",
        }
        self._write("conf.d/default.conf", (DEPLOY / "nginx.conf").read_text(), changes)
        self._write("conf.d/here.conf", HERE.format(folder=folder), {})
        self._write("nginx.conf", (DEPLOY / "nginx-main.conf").read_text(), {"/etc/nginx/": f"{folder}/"})
        self._process: subprocess.Popen[bytes] | None = None

    def _write(self, name: str, text: str, changes: Mapping[str, str]) -> None:
        for theirs, ours in changes.items():
            assert theirs in text, theirs
            text = text.replace(theirs, ours)
        (self.folder / name).write_text(text)

    def start(self) -> None:
        """Start nginx, and wait until it listens."""
        command = ["nginx", "-c", f"{self.folder}/nginx.conf", "-e", f"{self.folder}/log/error.log",
                   "-g", f"daemon off; pid {self.folder}/pid;"]  # fmt: skip
        tried = subprocess.run([*command, "-t"], capture_output=True, text=True)
        assert tried.returncode == 0 and "warn" not in tried.stderr, tried.stderr
        self._process = subprocess.Popen(command)
        wait_until(lambda: _listens(self.secure), self.logs)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)

    def logs(self) -> str:
        """Return everything that nginx has logged."""
        return "\n".join(file.read_text() for file in sorted((self.folder / "log").iterdir()))


def _listens(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


def lead_here(host: str, *rest: Any, _real: Any = socket.getaddrinfo, **named: Any) -> Any:
    """Replace `socket.getaddrinfo`, so that the site's name is this machine."""
    return _real("127.0.0.1" if host in (SITE, SITE.encode()) else host, *rest, **named)
