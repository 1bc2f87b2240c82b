"""Executing kernels (section 5.10): a valid call of each function."""
