"""Tests of the gate: known deviations and the resulting exit codes."""
