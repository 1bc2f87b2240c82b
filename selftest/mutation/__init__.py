"""Mutation tests of the oracle: change a predicate slightly, and check that a run of the suites finds the change.

The judge uses the mutant; the platform, in a separate process, uses the original. An item first runs without mutants,
and all mutants are evaluated for each of its calls. Only items whose calls distinguish a mutant from its original are
run with the mutant, until one of them has a new failure. A mutant that only adds or removes a *may* is equivalent by a
rule. Every other survivor shows a test value that no item covers, or is listed in ``equivalent_mutants.toml``.
"""
