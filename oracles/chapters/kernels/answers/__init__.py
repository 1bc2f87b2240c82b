"""What kernels answer (section 5.9.4)."""
