"""Fault injection: insert one fault at a time between the session and a driver, and check that the suites find it.

The oracle is unchanged, and the driver appears faulty. Operators use prototypes, lists of error codes and queries, but
never the oracle, so an incorrect predicate cannot hide the fault that it should detect. Crashes and hangs are only
reported to the session, so they take no time. Each table-driven item runs once without faults, to determine the faults
that affect it. Each fault is then tried in these items, until one of them has a new deviation.
"""
