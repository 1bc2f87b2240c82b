"""Coverage points of unified shared memory: allocations and accesses, and the rest of its prose."""
