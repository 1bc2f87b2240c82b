"""Suite: what a runtime does that links allocations as its note says, on a real driver, access by access."""
