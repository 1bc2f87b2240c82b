"""The operators: the kinds of driver faults that are injected."""
