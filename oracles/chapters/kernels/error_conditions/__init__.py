"""Error conditions of kernel functions (section 5.9)."""
