"""Calls that put pipes to the test (section 5.4)."""
