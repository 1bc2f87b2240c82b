"""Mutants of the oracle: slightly changed predicates, and whether a run of the suites notices them."""
