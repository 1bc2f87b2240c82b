"""Samplers (section 5.7)."""
