"""Tests of the suite itself: mutants of the oracle, injected and planted driver faults, and benchmarks."""
