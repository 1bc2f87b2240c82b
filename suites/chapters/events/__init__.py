"""Events, markers and barriers, profiling timestamps, flush and finish (sections 5.11, 5.12 and 5.14 to 5.16)."""
