"""The suite put to the test: mutants of the oracle, injected and planted faults of drivers, and benchmarks."""
