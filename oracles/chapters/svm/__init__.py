"""Shared virtual memory: error conditions, postconditions and usage rules (section 5.6)."""
