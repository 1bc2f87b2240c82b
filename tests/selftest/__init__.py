"""Tests of how the suite is put to the test: mutants, faults, benchmarks."""
