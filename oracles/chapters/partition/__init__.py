"""Partitioning of devices by the core functions (section 4.3)."""
