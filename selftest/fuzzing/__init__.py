"""Mutates files that commands read, and messages, at random; reports what does not end with a message of its own.

Run on demand: ``python -m clconform.selftest.fuzzing --seconds 3600 --seed 1``. ``kinds`` lists the kinds of inputs and
what reads them, ``seeds`` makes valid inputs, ``mutating`` and ``mutating_messages`` change them, ``trying`` runs a
reader under a deadline. ``exchanges`` are recorded messages: ``feeding`` gives their answers to a session, and
``requesting`` their requests to a worker.
"""
