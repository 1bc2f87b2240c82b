"""Shared virtual memory (section 5.6)."""
