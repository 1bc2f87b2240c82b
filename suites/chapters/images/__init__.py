"""Images (section 5.3): creation, transfers, maps, and access by kernels."""
