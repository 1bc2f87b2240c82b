"""The verdict on a run beside known deviations, and its exit code."""
