"""Suite: what a runtime does that links allocations as its note says, on a real driver, access by access.

The note's memory objects are buffers and images; the traces have buffers only, whose bytes the model keeps.
"""
