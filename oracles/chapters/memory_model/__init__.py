"""The memory model (section 3.3)."""
