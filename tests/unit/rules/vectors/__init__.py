"""Answers worked out by brute force, apart from the project: hands, best arrangements, fairness inputs."""

from pathlib import Path

VECTORS = Path(__file__).parent
