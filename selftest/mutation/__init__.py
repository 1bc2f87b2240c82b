"""Mutants of the oracle: a predicate changed a little, and whether a run of the suites notices it.

The judge asks the mutant; the platform, in a process of its own, acts by the original. An item is first run without
mutants, and each call is shown to all of them; only items whose calls distinguish a mutant from its original are run
with it, until one fails that did not fail before. A mutant that only adds or removes a *may* is equivalent by a rule;
any other survivor is a boundary that no item tries, or is explained in ``explained``.
"""
