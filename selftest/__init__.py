"""Tests of the suite itself: mutants of the oracle, injected and simulated driver faults, and benchmarks."""
