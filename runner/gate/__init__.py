"""The verdict on a run, given known deviations, and its exit code."""
