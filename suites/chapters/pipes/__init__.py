"""Pipes (section 5.4): creation, queries, and packets that kernels transfer."""
