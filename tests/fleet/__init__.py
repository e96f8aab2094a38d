"""Harnesses for long and hostile runs of the platform, each a module with `run(seed, size) -> figures`.

The tests here run a short part of each; `python -m tests.fleet NAME --seed S --size N` runs one in full.
"""
