"""Error conditions of creating and querying kernels, and of setting their arguments (section 5.9)."""
