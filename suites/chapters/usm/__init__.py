"""Unified shared memory (USM): its content for the host, commands and kernels, and its state after a free."""
