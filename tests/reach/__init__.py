"""Which pairs of a function and an error code the runs of a chapter have seen, of those that can be reached."""
