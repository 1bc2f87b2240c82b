"""When calls about kernels must fail (section 5.9)."""
