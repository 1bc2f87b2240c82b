"""The verdict on a run, by its known deviations, and the exit code."""
