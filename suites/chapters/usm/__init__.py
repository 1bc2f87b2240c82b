"""Unified shared memory (USM): access by the host, commands and kernels, and release."""
