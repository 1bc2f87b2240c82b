"""Determines the verdict on a run, which depends on the known deviations, and the exit code."""
