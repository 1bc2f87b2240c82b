"""Kernels that run (section 5.10)."""
