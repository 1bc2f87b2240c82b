"""The traces of a runtime with linked allocations: their results in the result of a run, and their timelines."""
