"""Kernel execution (section 5.10): valid calls, variations, and effects of kernels."""
