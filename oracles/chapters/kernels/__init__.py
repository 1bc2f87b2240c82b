"""Kernels and their arguments (section 5.9)."""
