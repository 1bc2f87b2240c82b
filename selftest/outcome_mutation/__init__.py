"""Outcome mutation: alter the outcomes of calls, and check that the judge names each violated requirement.

``altered_outcomes`` generates altered outcomes of a call. ``probes`` inserts them between a session and its driver, or
tries them on a copy of the model. ``violation_search`` searches a violation of each requirement. ``results`` is the
file of results.
"""
