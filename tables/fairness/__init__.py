"""Fairness that anybody can recompute: what finished deals gave beside what a fair shuffle gives."""
