"""What the platform must survive, each harness a module with `run(seed, size) -> figures`; see `python -m tests.fleet`.

A module's tests hold a short part of it; the whole is one command, `python -m tests.fleet NAME --seed S --size N`.
"""
