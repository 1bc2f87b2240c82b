"""Unified shared memory in use: what the host, commands and kernels find in it, and what remains when it is freed."""
