"""Mutates files that commands read at random, and reports what ends a command other than with its own message.

Run on demand: ``python -m clconform.selftest.fuzzing --seconds 3600 --seed 1``. ``kinds`` lists the kinds of inputs and
what reads them, ``seeds`` makes valid inputs, ``mutating`` changes them, ``trying`` runs a reader under a deadline.
A further kind of input, such as the messages of a protocol, is one more ``Kind``.
"""
