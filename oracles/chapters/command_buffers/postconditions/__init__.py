"""Postconditions of calls on command-buffers and on their mutable commands (section 5.17)."""
