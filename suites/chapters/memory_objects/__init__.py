"""Functions for all types of memory objects (section 5.5)."""
