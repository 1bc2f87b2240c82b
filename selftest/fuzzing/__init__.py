"""Mutate input files and messages at random, and report every failure without a proper error message.

Run on demand: ``python -m clconform.selftest.fuzzing --seconds 3600 --seed 1``. ``kinds`` lists the kinds of inputs and
their readers, ``seeds`` creates valid inputs, ``mutating`` and ``mutating_messages`` change them, ``trying`` runs a
reader with a deadline. ``exchanges`` contains recorded messages: ``feeding`` returns their answers to a session, and
``requesting`` sends their requests to a worker.
"""
