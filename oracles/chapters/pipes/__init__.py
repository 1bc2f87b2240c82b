"""Rules for pipes (section 5.4): creation, packets that kernels transfer, and queries."""
