"""Mutants of the oracle: a predicate changed a little, and whether a run of the suites notices it."""
