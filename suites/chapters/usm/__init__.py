"""Unified shared memory in use: what the host, commands and kernels find in it, and what is left when it is freed."""
