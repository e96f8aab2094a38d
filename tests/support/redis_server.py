"""A Redis that nobody else uses."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis, RedisError

from tests.support.platform import free_port


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Run a Redis within the block, and yield its address."""
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    url = f"redis://127.0.0.1:{port}/0"
    try:
        with Redis.from_url(url) as redis:
            for _ in range(1_000):
                try:
                    redis.ping()
                    break
                except RedisError:
                    continue
        yield url
    finally:
        process.terminate()
        process.wait(10)
