"""Mutate input files and messages at random, and report every failure that lacks a proper error message.

Run on demand: ``python -m clconform.selftest.fuzzing --seconds 3600 --seed 1``. ``input_kinds`` lists the kinds of
inputs and their readers, ``valid_inputs`` creates valid inputs, ``mutations`` and ``message_mutations`` change them,
and ``command_trials`` runs a reader with a deadline. ``exchanges`` contains recorded messages: ``replay_session``
returns the recorded replies to a session, and ``request_replay`` sends the recorded requests to a worker.
"""
