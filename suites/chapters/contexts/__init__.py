"""Contexts (section 4.4)."""
