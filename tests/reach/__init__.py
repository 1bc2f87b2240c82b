"""Coverage of the reachable pairs of function and error code by the runs of a chapter."""
