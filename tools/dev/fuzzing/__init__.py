"""Run commands on mutated input files, and report every failure that lacks a proper error message.

``input_kinds`` lists the kinds of inputs and their readers, ``valid_inputs`` creates valid inputs, ``input_trials``
mutates them, and ``command_trials`` runs a reader with a deadline.
"""
