"""Postconditions of calls that create and build programs (section 5.8)."""
