"""Coverage points for kernels (section 5.9)."""
