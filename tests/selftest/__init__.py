"""Tests of the self-tests: mutants, faults, benchmarks."""
