"""Answers computed by brute force outside this project: hands, best arrangements, fairness inputs."""

from pathlib import Path

VECTORS = Path(__file__).parent
