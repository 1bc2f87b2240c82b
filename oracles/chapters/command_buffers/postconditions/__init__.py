"""Postconditions of calls on command-buffers (section 5.17)."""
