"""Tests of the gate: known deviations, and the exit code that follows."""
