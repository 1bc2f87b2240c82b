"""Pipes (section 5.4)."""
