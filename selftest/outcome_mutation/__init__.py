"""Outcome mutation: alter the outcomes of calls, and check that the judge names each violated requirement.

``alter_outcome`` generates altered outcomes of a call. ``watching`` inserts them between a session and its driver, or
tries them on a copy of the model. ``searching`` searches one for every requirement. ``shown`` is the file of results.
"""
