"""Platforms and root devices: how they are listed (sections 4.1 and 4.2)."""
