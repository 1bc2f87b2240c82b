"""Execution of kernels (section 5.10)."""
