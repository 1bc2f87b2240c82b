"""Coverage points of shared virtual memory: allocations and their options, and contents (section 5.6)."""
