"""Faults put between the session and a driver, one at a time, and whether the suites notice them.

The oracle is unchanged, and the driver is wrong. Operators know prototypes, lists of error codes and queries, and
nothing of the oracle, so a predicate that is wrong cannot hide its own fault. Crashes and hangs are reported, not made,
so they cost nothing. Each table-driven item is run once without faults, which shows in which items a fault appears at
all; the fault is then tried in these, until one deviates as it did not before.
"""
