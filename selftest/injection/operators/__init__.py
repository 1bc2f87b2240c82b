"""The operators: the kinds of driver bugs that are injected."""
