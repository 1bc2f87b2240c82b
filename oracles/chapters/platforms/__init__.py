"""Platforms and root devices: their lists (sections 4.1 and 4.2)."""
